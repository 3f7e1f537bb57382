import { useEffect } from 'react'
import { GatewayError } from '../api/errors'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { Form } from '../ui/Form'
import { TextField } from '../ui/TextField'
import { formatCountdown, useSecondsLeft } from '../ui/useSecondsLeft'
import { words } from '../words/pt-BR'
import type { NewSession } from './session'

const LOGIN_WITH_CODE = graphql(`
  mutation LoginWithCode($input: LoginWithCodeInput!, $remember: Boolean!) {
    loginWithCode(input: $input, remember: $remember) { accessToken environment user { id } }
  }
`)
const CHALLENGE_INVALID = 'DESAFIO_INVALIDO'

/** What the first step of a login was answered, and until when it is valid, in milliseconds since 1970. */
export type Challenge = { token: string; validUntil: number }

type Props = {
  challenge: Challenge
  remember: boolean
  onLogin: (session: NewSession) => Promise<void>
  /** The challenge is no longer valid: the password has to be typed again. */
  onExpire: () => void
}

/** The second step of a login. */
export function CodeForm({ challenge, remember, onLogin, onExpire }: Props) {
  const left = useSecondsLeft(challenge.validUntil)
  const expired = left === 0
  useEffect(() => {
    if (expired) onExpire()
  }, [expired, onExpire])

  async function confirm({ code = '' }: Record<string, string>) {
    const input = { challenge: challenge.token, code }
    try {
      const { loginWithCode } = await request(LOGIN_WITH_CODE, { input, remember }, { public: true })
      await onLogin(present(loginWithCode))
    } catch (error) {
      if (error instanceof GatewayError && error.code === CHALLENGE_INVALID) onExpire()
      throw error
    }
  }

  return (
    <Form submit={words.entry.confirm} onSubmit={confirm}>
      <TextField
        name="code"
        label={words.entry.code}
        hint={words.entry.codeLead}
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        required
      />
      <div role="timer">{words.entry.codeTimeLeft(formatCountdown(left))}</div>
    </Form>
  )
}
