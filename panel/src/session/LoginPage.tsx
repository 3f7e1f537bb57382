import { Link, useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { words } from '../words/pt-BR'
import { EntryLayout } from './EntryLayout'
import { LoginForm } from './LoginForm'
import { type NewSession, openSession } from './session'

// Few services have one, and the first chunk is small. Without it the page is of use, too.
const DemoLogin = lazy(() =>
  import('./DemoLogin').then((module) => ({ default: module.DemoLogin })).catch(() => ({ default: () => null })),
)

export function LoginPage() {
  const navigate = useNavigate()
  const { voltar } = useSearch({ from: '/entrar' })
  const email = useLocation({ select: ({ state }) => state.email })

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
      <LoginForm email={email} onLogin={enter} />
      <Suspense>
        <DemoLogin onLogin={enter} />
      </Suspense>
    </EntryLayout>
  )
}
