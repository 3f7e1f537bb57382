import type { ProveTwoFactorInput } from '../api/gql/graphql'
import { Form } from '../ui/Form'
import { Modal } from '../ui/Modal'
import { TextField } from '../ui/TextField'
import { PasswordField } from './PasswordField'
import { securityWords } from './words'

type Props = {
  title: string
  lead: string
  onClose: () => void
  onProve: (input: ProveTwoFactorInput) => Promise<void>
}

/** Asks for the password and a code before the second factor changes. */
export function ProofDialog({ title, lead, onClose, onProve }: Props) {
  return (
    <Modal title={title} lead={lead} onClose={onClose}>
      <Form submit={title} onSubmit={({ password, code = '' }) => onProve({ password: password || null, code })}>
        <PasswordField />
        <TextField
          name="code"
          label={securityWords.anyCode}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          required
        />
      </Form>
    </Modal>
  )
}
