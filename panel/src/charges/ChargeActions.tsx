import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { useCan } from '../frame/queries'
import { RefundDialog } from '../refunds/RefundDialog'
import { refundWords } from '../refunds/words'
import { PrintButton } from '../sheet/PrintButton'
import { ActionButton } from '../ui/ActionButton'
import { Button } from '../ui/Button'
import { ConfirmButton } from '../ui/ConfirmButton'
import { LinkButton } from '../ui/LinkButton'
import { type Charge, chargeQuery } from './queries'
import { SendDialog } from './SendDialog'
import { chargeWords } from './words'

const SIMULATE = graphql(`
  mutation SimulatePayment($id: ID!) { simulatePayment(id: $id) { id } }
`)
const EXPIRE = graphql(`
  mutation ExpireCharge($id: ID!) { expireCharge(id: $id) { id } }
`)

/** What may be done with the charge now. */
export function ChargeActions({ charge }: { charge: Charge }) {
  const can = useCan()
  const cache = useQueryClient()
  const [sending, setSending] = useState(false)
  const [refunding, setRefunding] = useState(false)
  const refundKeyOf = useIdempotencyKey()
  const { id, actions } = charge
  const refresh = () => cache.invalidateQueries({ queryKey: chargeQuery(id).queryKey })
  const pending = charge.status === 'pending'
  return (
    <>
      {actions.includes('simulate') && (
        <ActionButton
          variant="primary"
          label={chargeWords.simulate}
          shortcut="p"
          onAct={() => request(SIMULATE, { id }).then(refresh)}
        />
      )}
      {(actions.includes('send') || actions.includes('receipt')) && (
        <Button variant="plain" onClick={() => setSending(true)}>
          {actions.includes('receipt') ? chargeWords.sendReceipt : chargeWords.send}
        </Button>
      )}
      {actions.includes('expire') && (
        <ConfirmButton
          label={chargeWords.expire}
          title={chargeWords.expireTitle}
          lead={chargeWords.expireLead}
          confirm={chargeWords.expireConfirm}
          onConfirm={() => request(EXPIRE, { id }).then(refresh)}
        />
      )}
      {actions.includes('refund') && (
        <Button variant="plain" onClick={() => setRefunding(true)}>
          {refundWords.refund}
        </Button>
      )}
      {charge.receiptUrl && (
        <a href={charge.receiptUrl} target="_blank" rel="noreferrer">
          {chargeWords.openReceipt}
        </a>
      )}
      <PrintButton />
      {can('issueCharge') && (
        <LinkButton variant="plain" to="/cobrancas/nova" search={{ copiar: id }}>
          {pending ? chargeWords.duplicate : chargeWords.again}
        </LinkButton>
      )}
      {refunding && <RefundDialog charge={charge} keyOf={refundKeyOf} onClose={() => setRefunding(false)} />}
      {sending && <SendDialog charge={charge} onClose={() => setSending(false)} />}
    </>
  )
}
