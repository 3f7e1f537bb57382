import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { GatewayError } from '../api/errors'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { readInvitationCode } from '../invitation/code'
import { isWrongCnpj } from '../ui/cnpj'
import { Form } from '../ui/Form'
import { LinkButton } from '../ui/LinkButton'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import type { Values } from '../ui/values'
import { words } from '../words/pt-BR'
import { EntryLayout } from './EntryLayout'
import { NewPasswordField } from './NewPasswordField'
import { registerWords } from './registerWords'
import { openSession } from './session'

const REGISTER = graphql(`
  mutation Register($input: RegisterInput!) {
    register(input: $input) { accessToken environment user { id } }
  }
`)
const EMAIL_TAKEN = 'EMAIL_JA_CADASTRADO'

export function RegisterPage() {
  const navigate = useNavigate()
  const [typed, setTyped] = useState<Values>({})
  const [takenEmail, setTakenEmail] = useState<string | null>(null)
  const invited = readInvitationCode() !== null
  const login = { to: '/entrar', search: invited ? { voltar: '/convite' } : {} } as const

  async function register({ name = '', email = '', password = '', cnpj = '', company = '' }: Record<string, string>) {
    setTakenEmail(null)
    try {
      const input = { name, email, password, cnpj, company: company || null }
      const answer = await request(REGISTER, { input }, { public: true })
      openSession(present(answer.register))
    } catch (error) {
      if (error instanceof GatewayError && error.code === EMAIL_TAKEN) setTakenEmail(email)
      throw error
    }
    await navigate({ to: invited ? '/convite' : '/comecar', replace: true })
  }

  return (
    <EntryLayout
      title={words.entry.registerTitle}
      lead={words.entry.registerLead}
      foot={<Link {...login}>{words.entry.hasAccount}</Link>}
    >
      <Form submit={words.entry.createAccount} onSubmit={register} onChange={setTyped}>
        {takenEmail !== null && (
          <LinkButton {...login} variant="plain" state={{ email: takenEmail }}>
            {registerWords.logIn}
          </LinkButton>
        )}
        <TextField name="name" label={words.entry.name} autoComplete="name" required />
        <TextField name="email" label={words.entry.email} type="email" autoComplete="username" required />
        <NewPasswordField name="password" label={words.entry.password} />
        <TypedField
          kind="document"
          name="cnpj"
          label={words.entry.cnpj}
          placeholder="00.000.000/0000-00"
          problem={isWrongCnpj(typed.cnpj ?? '') ? registerWords.cnpjWrong : undefined}
          required
        />
        <TextField name="company" label={words.entry.company} autoComplete="organization" />
        <Terms />
      </Form>
    </EntryLayout>
  )
}

const TERMS = graphql(`
  query Terms { service { termsUrl } }
`)

/** Where the service has terms, they can be read before there is an account. They are accepted later. */
function Terms() {
  const terms = useQuery({
    queryKey: ['terms'],
    queryFn: async ({ signal }) => (await request(TERMS, {}, { public: true, signal })).service?.termsUrl ?? null,
  })
  if (!terms.data) return null
  return (
    <p>
      {registerWords.termsLead}{' '}
      <a href={terms.data} target="_blank" rel="noreferrer">
        {registerWords.terms}
      </a>
      .
    </p>
  )
}
