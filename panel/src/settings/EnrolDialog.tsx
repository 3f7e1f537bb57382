import { useState } from 'react'
import type { BeginTwoFactorMutation } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { openSession } from '../session/session'
import { Code } from '../ui/Code'
import { Form } from '../ui/Form'
import { Modal } from '../ui/Modal'
import { TextField } from '../ui/TextField'
import { Time } from '../ui/Time'
import { PasswordField } from './PasswordField'
import css from './Qr.module.css'
import { securityWords } from './words'

const BEGIN = graphql(`
  mutation BeginTwoFactor($input: BeginTwoFactorInput!) {
    beginTwoFactor(input: $input) { secret qrCodeUrl expiresAt }
  }
`)
const CONFIRM = graphql(`
  mutation ConfirmTwoFactor($input: ConfirmTwoFactorInput!) {
    confirmTwoFactor(input: $input) { recoveryCodes session { accessToken environment user { id } } }
  }
`)

type Enrolment = NonNullable<BeginTwoFactorMutation['beginTwoFactor']>
type Props = { onClose: () => void; onEnabled: (codes: readonly string[]) => Promise<void> }

/** The password, then the secret for the app, then its first code. */
export function EnrolDialog({ onClose, onEnabled }: Props) {
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null)

  async function begin({ password = '' }: Record<string, string>) {
    const answer = await request(BEGIN, { input: { password: password || null } })
    setEnrolment(present(answer.beginTwoFactor))
  }

  async function confirm({ code = '' }: Record<string, string>) {
    const { recoveryCodes, session } = present((await request(CONFIRM, { input: { code } })).confirmTwoFactor)
    openSession(session)
    await onEnabled(recoveryCodes)
  }

  return (
    <Modal title={securityWords.twoFactor} onClose={onClose}>
      {enrolment === null ? (
        <Form key="password" submit={securityWords.continue} onSubmit={begin}>
          <PasswordField />
        </Form>
      ) : (
        <>
          <p>{securityWords.scan}</p>
          <img className={css.code} src={enrolment.qrCodeUrl} alt={securityWords.qrAlt} width={200} height={200} />
          <Code text={enrolment.secret} />
          <Form key="code" submit={securityWords.confirm} onSubmit={confirm}>
            <TextField
              name="code"
              label={securityWords.code}
              inputMode="numeric"
              autoComplete="one-time-code"
              autoFocus
              required
            />
          </Form>
          <small>
            {securityWords.expires} <Time value={enrolment.expiresAt} />
          </small>
        </>
      )}
    </Modal>
  )
}
