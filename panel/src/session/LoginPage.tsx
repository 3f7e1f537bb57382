import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { words } from '../words/pt-BR'
import { DemoLogin } from './DemoLogin'
import { EntryLayout } from './EntryLayout'
import { LoginForm } from './LoginForm'
import { type NewSession, openSession } from './session'

export function LoginPage() {
  const navigate = useNavigate()
  const { voltar } = useSearch({ from: '/entrar' })

  async function enter(session: NewSession) {
    openSession(session)
    await navigate({ to: voltar ?? '/', replace: true })
  }

  return (
    <EntryLayout
      title={words.entry.loginTitle}
      foot={
        <>
          <Link to="/cadastro">{words.entry.createAccount}</Link>
          <Link to="/senha">{words.entry.forgot}</Link>
        </>
      }
    >
      <LoginForm onLogin={enter} />
      <DemoLogin onLogin={enter} />
    </EntryLayout>
  )
}
