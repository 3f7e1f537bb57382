import { useState } from 'react'
import type { Charge } from '../charges/queries'
import { CheckField } from '../ui/CheckField'
import { Form } from '../ui/Form'
import { formatMoney } from '../ui/format'
import { Modal } from '../ui/Modal'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import { moneyOf, moneyText, textOf, type Values } from '../ui/values'
import { ConfirmRefund, type RefundInput } from './ConfirmRefund'
import { refundableAmount } from './refundable'
import { refundWords } from './words'

type Props = {
  charge: Charge
  /** Of the page, so that it outlives the dialog: the same refund is ordered once. */
  keyOf: (order: unknown) => string
  onClose: () => void
}

/** How much and why, then a second look before the money goes back. */
export function RefundDialog({ charge, keyOf, onClose }: Props) {
  const left = refundableAmount(charge)
  const [typed, setTyped] = useState<Values>({ amount: moneyText(left) })
  const [input, setInput] = useState<RefundInput | null>(null)
  const [busy, setBusy] = useState(false)
  // A refund that the page has shown is another one. One that appears while the dialog is open may be this one.
  const [refundsCount] = useState(charge.refunds.length)

  async function review(values: Values) {
    setTyped(values)
    setInput({
      chargeId: charge.id,
      amount: moneyOf(values.amount),
      reason: textOf(values.reason),
      externalReference: textOf(values.externalReference),
      simulate: values.simulate ? 'rejected' : null,
    })
  }

  return (
    <Modal title={refundWords.refundTitle} lead={refundWords.refundLead} {...(!busy && { onClose })}>
      {input ? (
        <ConfirmRefund
          charge={charge}
          input={input}
          keyOf={(order) => keyOf({ ...order, refundsCount })}
          busy={busy}
          setBusy={setBusy}
          onBack={() => setInput(null)}
          onDone={onClose}
        />
      ) : (
        <Form submit={refundWords.review} onSubmit={review}>
          <TypedField
            kind="money"
            name="amount"
            label={refundWords.amountLabel}
            hint={refundWords.amountHint(formatMoney(left))}
            defaultValue={typed.amount ?? ''}
            required
          />
          <TextField
            name="reason"
            label={refundWords.reason}
            hint={refundWords.reasonHint}
            maxLength={140}
            defaultValue={typed.reason}
          />
          <TextField name="externalReference" label={refundWords.reference} defaultValue={typed.externalReference} />
          {charge.environment === 'test' && (
            <CheckField
              name="simulate"
              label={refundWords.simulateRejected}
              hint={refundWords.simulateHint}
              defaultChecked={typed.simulate !== undefined}
            />
          )}
        </Form>
      )}
    </Modal>
  )
}
