import { useState } from 'react'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { Form } from '../ui/Form'
import { Modal } from '../ui/Modal'
import { Notice } from '../ui/Notice'
import { TextField } from '../ui/TextField'
import type { Charge } from './queries'
import { chargeWords } from './words'

const SEND = graphql(`
  mutation SendCharge($id: ID!, $email: String) { sendCharge(id: $id, email: $email) { id } }
`)

/** Sends the charge, or the receipt of a paid one, to the payer or another address. */
export function SendDialog({ charge, onClose }: { charge: Charge; onClose: () => void }) {
  // What became of it: in test the gateway may send nothing.
  const [sent, setSent] = useState<string | null>(null)
  const keyOf = useIdempotencyKey()
  const title = charge.status === 'paid' ? chargeWords.sendReceipt : chargeWords.send

  async function send({ email = '' }: Record<string, string>) {
    const variables = { id: charge.id, email: email || null }
    let result: string = chargeWords.sent
    const onNotice = (notice: string) => {
      result = notice
    }
    await request(SEND, variables, { idempotencyKey: keyOf(variables), onNotice })
    setSent(result)
  }

  return (
    <Modal title={title} onClose={onClose}>
      {sent ? (
        <Notice kind="info">{sent}</Notice>
      ) : (
        <Form submit={title} onSubmit={send}>
          <TextField
            name="email"
            type="email"
            label={chargeWords.sendTo}
            defaultValue={charge.customerEmail ?? ''}
            required
          />
        </Form>
      )}
    </Modal>
  )
}
