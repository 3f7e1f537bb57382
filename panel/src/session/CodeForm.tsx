import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { Form } from '../ui/Form'
import { TextField } from '../ui/TextField'
import { words } from '../words/pt-BR'
import type { NewSession } from './session'

const LOGIN_WITH_CODE = graphql(`
  mutation LoginWithCode($input: LoginWithCodeInput!, $remember: Boolean!) {
    loginWithCode(input: $input, remember: $remember) { accessToken environment user { id } }
  }
`)

type Props = { challenge: string; remember: boolean; onLogin: (session: NewSession) => Promise<void> }

/** The second step of a login. */
export function CodeForm({ challenge, remember, onLogin }: Props) {
  async function confirm({ code = '' }: Record<string, string>) {
    const { loginWithCode } = await request(LOGIN_WITH_CODE, { input: { challenge, code }, remember }, { public: true })
    await onLogin(present(loginWithCode))
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
    </Form>
  )
}
