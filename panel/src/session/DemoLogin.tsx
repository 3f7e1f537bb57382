import { useQuery } from '@tanstack/react-query'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { ActionButton } from '../ui/ActionButton'
import { words } from '../words/pt-BR'
import { LOGIN } from './LoginForm'
import type { NewSession } from './session'

const DEMO = graphql(`
  query DemoLogin { service { demo { email password } } }
`)
/** One click into the demo store of a `gateway dev`. Other services have none. */
export function DemoLogin({ onLogin }: { onLogin: (session: NewSession) => Promise<void> }) {
  const demo = useQuery({
    queryKey: ['demo'],
    queryFn: async ({ signal }) => (await request(DEMO, {}, { public: true, signal })).service?.demo ?? null,
  })
  if (!demo.data) return null
  const { email, password } = demo.data

  async function enter() {
    const { login } = await request(LOGIN, { input: { email, password }, remember: false }, { public: true })
    await onLogin(present(login))
  }

  return <ActionButton label={words.entry.demo} onAct={enter} />
}
