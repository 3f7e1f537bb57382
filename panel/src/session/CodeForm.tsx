import { ask } from '../api/ask'
import { graphql } from '../api/gql'
import { present } from '../api/present'
import { Form } from '../ui/Form'
import { TextField } from '../ui/TextField'
import { words } from '../words/pt-BR'
import type { NewSession } from './session'

const LOGIN_WITH_CODE = graphql(`
  mutation LoginWithCode($input: LoginWithCodeInput!) {
    loginWithCode(input: $input) { accessToken environment user { id } }
  }
`)

type Props = { challenge: string; onLogin: (session: NewSession) => void }

/** The second step of a login. */
export function CodeForm({ challenge, onLogin }: Props) {
  async function confirm({ code = '' }: Record<string, string>) {
    const { loginWithCode } = await ask(LOGIN_WITH_CODE, { input: { challenge, code } }, { public: true })
    onLogin(present(loginWithCode))
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
