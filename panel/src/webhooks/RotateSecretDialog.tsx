import { useState } from 'react'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { Code } from '../ui/Code'
import { Form } from '../ui/Form'
import { Modal } from '../ui/Modal'
import { optionsOf } from '../ui/options'
import { SecretOnce } from '../ui/SecretOnce'
import { SelectField } from '../ui/SelectField'
import type { EndpointDialogProps } from './EditEndpointDialog'
import { rememberSecret } from './secrets'
import { webhookWords } from './words'

const ROTATE = graphql(`
  mutation RotateWebhookSecret($input: RotateSecretInput!) { rotateWebhookSecret(input: $input) { secret } }
`)

/** Replaces the secret, and shows the new one once. */
export function RotateSecretDialog({ endpoint: { id }, onClose }: EndpointDialogProps) {
  const [secret, setSecret] = useState<string | null>(null)
  const keyOf = useIdempotencyKey()

  async function rotate({ graceHours }: Record<string, string>) {
    const input = { id, graceHours: Number(graceHours) }
    const { rotateWebhookSecret } = await request(ROTATE, { input }, { idempotencyKey: keyOf(input) })
    const { secret } = present(rotateWebhookSecret)
    rememberSecret(id, secret)
    setSecret(secret)
  }

  if (secret) {
    return (
      <Modal title={webhookWords.keepTitle}>
        <SecretOnce lead={webhookWords.keepLead} onStored={onClose}>
          <Code text={secret} />
        </SecretOnce>
      </Modal>
    )
  }
  return (
    <Modal title={webhookWords.rotate} lead={webhookWords.rotateLead} onClose={onClose}>
      <Form submit={webhookWords.rotate} onSubmit={rotate}>
        <SelectField
          name="graceHours"
          label={webhookWords.graceHours}
          options={optionsOf(webhookWords.graces)}
          defaultValue="24"
        />
      </Form>
    </Modal>
  )
}
