import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { GatewayError } from '../api/errors'
import type { RequestWithdrawalInput } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { Button } from '../ui/Button'
import { Facts } from '../ui/Facts'
import { formatMoney } from '../ui/format'
import { Modal } from '../ui/Modal'
import { Money } from '../ui/Money'
import { messageOf } from '../ui/messageOf'
import { Notice } from '../ui/Notice'
import { formatPixKey } from './formatPixKey'
import { quoteQuery } from './queries'
import { pixKeyTypes, withdrawalWords } from './words'

const REQUEST = graphql(`
  mutation RequestWithdrawal($input: RequestWithdrawalInput!) { requestWithdrawal(input: $input) { id } }
`)
const SAVE_KEY = graphql(`
  mutation SavePixKey($input: SavePixKeyInput!) { savePixKey(input: $input) { id } }
`)

export type Order = Pick<RequestWithdrawalInput, 'amount' | 'pixKeyType' | 'pixKey' | 'description'>

type Props = {
  order: Order
  /** Keep the key for later withdrawals. */
  save: boolean
  keyOf: (order: Order) => string
  onClose: () => void
  onFieldsRefused: (error: GatewayError) => void
  onMost: (amount: number) => void
  onRequested: (id: string) => Promise<void>
}

/** The second look. A refusal says what to do instead. */
export function ConfirmWithdrawal({ order, save, keyOf, onClose, onFieldsRefused, onMost, onRequested }: Props) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const quote = useQuery(quoteQuery(order.amount))
  const cache = useQueryClient()

  async function send() {
    setBusy(true)
    setError(null)
    try {
      // First, so that its failure can't hide that money has left.
      if (save) await request(SAVE_KEY, { input: { pixKey: order.pixKey, pixKeyType: order.pixKeyType } })
      const { requestWithdrawal } = await request(REQUEST, { input: order }, { idempotencyKey: keyOf(order) })
      void cache.invalidateQueries({ queryKey: ['balance'] })
      await onRequested(present(requestWithdrawal).id)
    } catch (failure) {
      if (failure instanceof GatewayError && Object.keys(failure.fields).length > 0) return onFieldsRefused(failure)
      setError(failure)
      setBusy(false)
    }
  }

  return (
    <Modal title={withdrawalWords.reviewTitle} lead={withdrawalWords.reviewLead} onClose={onClose}>
      <Facts
        facts={[
          { term: withdrawalWords.amount, value: <Money value={order.amount} /> },
          { term: withdrawalWords.fee, value: <Fee quote={quote} /> },
          { term: withdrawalWords.net, value: quote.data && <Money value={quote.data.netAmount} /> },
          { term: withdrawalWords.key, value: formatPixKey(order.pixKeyType, order.pixKey) },
          { term: withdrawalWords.keyType, value: pixKeyTypes[order.pixKeyType] },
        ]}
      />
      {error !== null && <Refusal error={error} onMost={onMost} />}
      <Button busy={busy} onClick={send}>
        {withdrawalWords.confirm}
      </Button>
    </Modal>
  )
}

/** Without the bank's answer, the withdrawal is still possible. */
function Fee({ quote: { data, isError } }: { quote: UseQueryResult<{ feeAmount: number }> }) {
  if (data) return data.feeAmount > 0 ? withdrawalWords.feeAtMost(formatMoney(data.feeAmount)) : <Money value={0} />
  return isError ? withdrawalWords.feeLater : withdrawalWords.feeAsked
}

function Refusal({ error, onMost }: { error: unknown; onMost: (amount: number) => void }) {
  const refusal = error instanceof GatewayError ? error : null
  const other = refusal?.code === 'SAQUE_EM_ANDAMENTO' ? refusal.text('id') : null
  const most = refusal?.code === 'SALDO_INSUFICIENTE' ? refusal.extensions.disponivel : null
  return (
    <>
      <Notice kind="error">{messageOf(error)}</Notice>
      {other && (
        <Link to="/saldo/saques/$id" params={{ id: other }}>
          {withdrawalWords.inProgress}
        </Link>
      )}
      {typeof most === 'number' && most > 0 && (
        <Button variant="plain" onClick={() => onMost(most)}>
          {withdrawalWords.fillMost(formatMoney(most))}
        </Button>
      )}
      {refusal?.code === 'SUBCONTA_INEXISTENTE' && <Link to="/ajustes/recebimento">{withdrawalWords.openAccount}</Link>}
    </>
  )
}
