import { Link, useNavigate } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { readInvitationCode } from '../invitation/code'
import { Form } from '../ui/Form'
import { TextField } from '../ui/TextField'
import { words } from '../words/pt-BR'
import { EntryLayout } from './EntryLayout'
import { openSession } from './session'

const REGISTER = graphql(`
  mutation Register($input: RegisterInput!) {
    register(input: $input) { accessToken environment user { id } }
  }
`)

export function RegisterPage() {
  const navigate = useNavigate()

  async function register({ name = '', email = '', password = '', cnpj = '', company = '' }: Record<string, string>) {
    const input = { name, email, password, cnpj, company: company || null }
    const answer = await request(REGISTER, { input }, { public: true })
    openSession(present(answer.register))
    await navigate({ to: readInvitationCode() === null ? '/' : '/convite', replace: true })
  }

  return (
    <EntryLayout
      title={words.entry.registerTitle}
      lead={words.entry.registerLead}
      foot={<Link to="/entrar">{words.entry.hasAccount}</Link>}
    >
      <Form submit={words.entry.createAccount} onSubmit={register}>
        <TextField name="name" label={words.entry.name} autoComplete="name" required />
        <TextField name="email" label={words.entry.email} type="email" autoComplete="username" required />
        <TextField
          name="password"
          label={words.entry.password}
          hint={words.entry.passwordHint}
          type="password"
          autoComplete="new-password"
          required
        />
        <TextField name="cnpj" label={words.entry.cnpj} inputMode="text" placeholder="00.000.000/0000-00" required />
        <TextField name="company" label={words.entry.company} autoComplete="organization" />
      </Form>
    </EntryLayout>
  )
}
