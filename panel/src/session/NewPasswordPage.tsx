import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { Form } from '../ui/Form'
import { Notice } from '../ui/Notice'
import { TextField } from '../ui/TextField'
import { words } from '../words/pt-BR'
import { EntryLayout } from './EntryLayout'
import { codeOfHash } from './hash'
import { NewPasswordField } from './NewPasswordField'

const RESET = graphql(`
  mutation ResetPassword($input: ResetPasswordInput!) {
    resetPassword(input: $input) { message }
  }
`)

/** Takes the e-mail's code and a new password. The code may come behind the address's `#`, which no server sees. */
export function NewPasswordPage() {
  const [message, setMessage] = useState<string | null>(null)
  const [code] = useState(() => codeOfHash(location.hash))

  async function reset({ token = '', newPassword = '' }: Record<string, string>) {
    const answer = await request(RESET, { input: { token: token.trim(), newPassword } }, { public: true })
    setMessage(present(answer.resetPassword).message)
  }

  return (
    <EntryLayout title={words.entry.newPasswordTitle} foot={<Link to="/entrar">{words.entry.goToLogin}</Link>}>
      {message ? (
        <Notice kind="info">{message}</Notice>
      ) : (
        <Form submit={words.entry.savePassword} onSubmit={reset}>
          <TextField name="token" label={words.entry.resetCode} defaultValue={code} autoComplete="off" required />
          <NewPasswordField name="newPassword" label={words.entry.newPassword} />
        </Form>
      )}
    </EntryLayout>
  )
}
