import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GatewayError } from '../api/errors'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useCan, viewerQuery } from '../frame/queries'
import { Button } from '../ui/Button'
import { ConfirmButton } from '../ui/ConfirmButton'
import { Notice } from '../ui/Notice'
import type { Merchant } from './queries'
import { ReasonDialog } from './ReasonDialog'
import { merchantWords } from './words'

const APPROVE = graphql(`
  mutation ApproveMerchant($id: ID!) { approveMerchant(id: $id) { id } }
`)
const REFUSE = graphql(`
  mutation RefuseMerchant($id: ID!, $motivo: String!) { refuseMerchant(id: $id, motivo: $motivo) { id } }
`)
const SUSPEND = graphql(`
  mutation SuspendMerchant($id: ID!, $motivo: String) { suspendMerchant(id: $id, motivo: $motivo) { id } }
`)
const REACTIVATE = graphql(`
  mutation ReactivateMerchant($id: ID!) { reactivateMerchant(id: $id) { id } }
`)
const NOTHING_TO_REVIEW = 'SEM_ANALISE_PENDENTE'

/** The decisions that the store's status allows. Staff members don't decide about their own stores. */
export function MerchantActions({ merchant }: { merchant: Merchant }) {
  const can = useCan()
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  const [open, setOpen] = useState<'refuse' | 'suspend' | null>(null)
  const [late, setLate] = useState(false)
  const cache = useQueryClient()
  const { id, productionStatus: status } = merchant
  const close = () => setOpen(null)

  /** Send a decision. If another one came first, say so and show what is true now. */
  async function decide(decision: Promise<unknown>) {
    try {
      await decision
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== NOTHING_TO_REVIEW) throw error
      setLate(true)
    }
    await Promise.all(['merchants', 'service'].map((name) => cache.invalidateQueries({ queryKey: [name] })))
    close()
  }

  if (viewer.stores.some((store) => store.id === id)) return <Notice kind="info">{merchantWords.own}</Notice>
  return (
    <>
      {late && <Notice kind="info">{merchantWords.decidedByOther}</Notice>}
      {status === 'pending' && can('approveMerchant') && (
        <ConfirmButton
          label={merchantWords.approve}
          title={merchantWords.approveTitle}
          lead={merchantWords.approveLead}
          confirm={merchantWords.approve}
          variant="primary"
          onConfirm={() => decide(request(APPROVE, { id }))}
        />
      )}
      {status === 'pending' && can('refuseMerchant') && (
        <Button variant="plain" onClick={() => setOpen('refuse')}>
          {merchantWords.refuse}
        </Button>
      )}
      {status === 'approved' && can('suspendMerchant') && (
        <Button variant="plain" onClick={() => setOpen('suspend')}>
          {merchantWords.suspend}
        </Button>
      )}
      {status === 'suspended' && can('reactivateMerchant') && (
        <ConfirmButton
          label={merchantWords.reactivate}
          title={merchantWords.reactivateTitle}
          lead={merchantWords.reactivateLead}
          confirm={merchantWords.reactivate}
          variant="primary"
          onConfirm={() => decide(request(REACTIVATE, { id }))}
        />
      )}
      {open === 'refuse' && (
        <ReasonDialog
          title={merchantWords.refuseTitle}
          lead={merchantWords.refuseLead}
          submit={merchantWords.refuse}
          templates
          onClose={close}
          onSend={(motivo) => decide(request(REFUSE, { id, motivo }))}
        />
      )}
      {open === 'suspend' && (
        <ReasonDialog
          title={merchantWords.suspendTitle}
          lead={merchantWords.suspendLead}
          submit={merchantWords.suspend}
          onClose={close}
          onSend={(motivo) => decide(request(SUSPEND, { id, motivo: motivo || null }))}
        />
      )}
    </>
  )
}
