import { useState } from 'react'
import { GatewayError } from '../api/errors'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { Button } from '../ui/Button'
import { CheckField } from '../ui/CheckField'
import { Form } from '../ui/Form'
import { TextField } from '../ui/TextField'
import { words } from '../words/pt-BR'
import { CodeForm } from './CodeForm'
import type { NewSession } from './session'

export const LOGIN = graphql(`
  mutation Login($input: LoginInput!, $remember: Boolean!) {
    login(input: $input, remember: $remember) { accessToken environment user { id } }
  }
`)
const CODE_NEEDED = 'SEGUNDO_FATOR_EXIGIDO'

/** E-mail and password, then the code of an account with a second factor. */
export function LoginForm({ onLogin }: { onLogin: (session: NewSession) => Promise<void> }) {
  const [challenge, setChallenge] = useState<string | null>(null)
  const [remembered, setRemembered] = useState(false)

  async function logIn({ email = '', password = '', remember }: Record<string, string>) {
    setRemembered(remember !== undefined)
    try {
      const variables = { input: { email, password }, remember: remember !== undefined }
      const { login } = await request(LOGIN, variables, { public: true })
      await onLogin(present(login))
    } catch (error) {
      const needed = error instanceof GatewayError && error.code === CODE_NEEDED ? error.text('desafio') : null
      if (needed === null) throw error
      setChallenge(needed)
    }
  }

  if (challenge !== null) {
    return (
      <>
        <CodeForm challenge={challenge} remember={remembered} onLogin={onLogin} />
        <Button variant="plain" onClick={() => setChallenge(null)}>
          {words.entry.back}
        </Button>
      </>
    )
  }
  return (
    <Form submit={words.entry.login} onSubmit={logIn}>
      <TextField name="email" label={words.entry.email} type="email" autoComplete="username" required />
      <TextField
        name="password"
        label={words.entry.password}
        type="password"
        autoComplete="current-password"
        maxLength={128}
        required
      />
      <CheckField name="remember" label={words.entry.remember} />
    </Form>
  )
}
