import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { CreateRefundInput } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import type { Charge } from '../charges/queries'
import { Button } from '../ui/Button'
import { formatMoney } from '../ui/format'
import css from '../ui/Modal.module.css'
import { messageOf } from '../ui/messageOf'
import { Notice } from '../ui/Notice'
import { refundWords } from './words'

const CREATE = graphql(`
  mutation CreateRefund($input: CreateRefundInput!) { createRefund(input: $input) { id } }
`)

export type RefundInput = CreateRefundInput

type Props = {
  charge: Charge
  input: RefundInput
  keyOf: (input: RefundInput) => string
  busy: boolean
  setBusy: (busy: boolean) => void
  onBack: () => void
  onDone: () => void
}

/** Says who gets how much. A refusal stays here, and the form keeps what was typed. */
export function ConfirmRefund({ charge, input, keyOf, busy, setBusy, onBack, onDone }: Props) {
  const [error, setError] = useState<unknown>(null)
  const cache = useQueryClient()
  const amount = formatMoney(input.amount ?? 0)

  async function refund() {
    setBusy(true)
    setError(null)
    try {
      await request(CREATE, { input }, { idempotencyKey: keyOf(input) })
      await readAgain()
      onDone()
    } catch (failure) {
      // The refund may exist although no answer came.
      void readAgain()
      setError(failure)
      setBusy(false)
    }
  }

  function readAgain() {
    const changed = ['charge', 'charges', 'balance', 'home']
    return Promise.all(changed.map((name) => cache.invalidateQueries({ queryKey: [name] })))
  }

  return (
    <>
      <p>{refundWords.sure(amount, charge.customerName ?? refundWords.someone)}</p>
      {input.reason && <p>{refundWords.becauseOf(input.reason)}</p>}
      {error !== null && <Notice kind="error">{messageOf(error)}</Notice>}
      <div className={css.actions}>
        <Button variant="plain" disabled={busy} onClick={onBack}>
          {refundWords.back}
        </Button>
        <Button variant="danger" busy={busy} onClick={refund}>
          {refundWords.confirm(amount)}
        </Button>
      </div>
    </>
  )
}
