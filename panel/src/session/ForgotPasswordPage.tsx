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

const REQUEST_RESET = graphql(`
  mutation RequestPasswordReset($input: RequestPasswordResetInput!) {
    requestPasswordReset(input: $input) { message }
  }
`)

/** Asks for the code of a new password. The answer is the same for an unknown e-mail. */
export function ForgotPasswordPage() {
  const [message, setMessage] = useState<string | null>(null)

  async function send({ email = '' }: Record<string, string>) {
    const answer = await request(REQUEST_RESET, { input: { email } }, { public: true })
    setMessage(present(answer.requestPasswordReset).message)
  }

  return (
    <EntryLayout
      title={words.entry.resetTitle}
      lead={words.entry.resetLead}
      foot={
        <>
          <Link to="/senha/nova">{words.entry.hasCode}</Link>
          <Link to="/entrar">{words.entry.goToLogin}</Link>
        </>
      }
    >
      {message && <Notice kind="info">{message}</Notice>}
      <Form submit={words.entry.sendCode} onSubmit={send}>
        <TextField name="email" label={words.entry.email} type="email" autoComplete="username" required />
      </Form>
    </EntryLayout>
  )
}
