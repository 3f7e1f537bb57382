import { useCallback, useState } from 'react'
import { GatewayError } from '../api/errors'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { Button } from '../ui/Button'
import { CheckField } from '../ui/CheckField'
import { Form } from '../ui/Form'
import { Notice } from '../ui/Notice'
import { TextField } from '../ui/TextField'
import { words } from '../words/pt-BR'
import { type Challenge, CodeForm } from './CodeForm'
import { lifetimeOf, type NewSession } from './session'

export const LOGIN = graphql(`
  mutation Login($input: LoginInput!, $remember: Boolean!) {
    login(input: $input, remember: $remember) { accessToken environment user { id } }
  }
`)
const CODE_NEEDED = 'SEGUNDO_FATOR_EXIGIDO'

type Props = { email?: string | undefined; onLogin: (session: NewSession) => Promise<void> }

/** E-mail and password, then the code of an account with a second factor. */
export function LoginForm({ email: firstEmail = '', onLogin }: Props) {
  const [email, setEmail] = useState(firstEmail)
  const [challenge, setChallenge] = useState<Challenge | null>(null)
  const [expired, setExpired] = useState(false)
  const [remembered, setRemembered] = useState(false)
  const expire = useCallback(() => {
    setChallenge(null)
    setExpired(true)
  }, [])

  async function logIn({ email = '', password = '', remember }: Record<string, string>) {
    setExpired(false)
    try {
      const variables = { input: { email, password }, remember: remember !== undefined }
      const { login } = await request(LOGIN, variables, { public: true })
      await onLogin(present(login))
    } catch (error) {
      const token = error instanceof GatewayError && error.code === CODE_NEEDED ? error.text('desafio') : null
      if (token === null) throw error
      setEmail(email)
      setRemembered(remember !== undefined)
      setChallenge({ token, validUntil: Date.now() + lifetimeOf(token) })
    }
  }

  if (challenge !== null) {
    return (
      <>
        <CodeForm challenge={challenge} remember={remembered} onLogin={onLogin} onExpire={expire} />
        <Button variant="plain" onClick={() => setChallenge(null)}>
          {words.entry.back}
        </Button>
      </>
    )
  }
  return (
    <Form submit={words.entry.login} onSubmit={logIn}>
      {expired && <Notice kind="error">{words.entry.codeExpired}</Notice>}
      <TextField
        name="email"
        label={words.entry.email}
        type="email"
        autoComplete="username"
        defaultValue={email}
        required
      />
      <TextField
        name="password"
        label={words.entry.password}
        type="password"
        autoComplete="current-password"
        maxLength={128}
        autoFocus={email !== ''}
        required
      />
      <CheckField name="remember" label={words.entry.remember} defaultChecked={remembered} />
    </Form>
  )
}
