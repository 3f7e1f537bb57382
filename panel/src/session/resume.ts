import { GatewayError } from '../api/errors'
import type { Environment } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { chooseStore, closeSession, currentSession, openSession, resumeWith, subscribe } from './session'

const STORED = 'painel'
const REFUSALS = [401, 403]
const STORAGES = [sessionStorage, localStorage]

const RESUME = graphql(`
  mutation ResumeSession($environment: Environment) {
    resumeSession(environment: $environment) { accessToken environment user { id } }
  }
`)

type Choice = { userId: string; environment: Environment; storeId: string | null }

/**
 * Resume sessions by the HttpOnly cookie. The tab stores which environment and store it shows, and no secret. A new tab
 * takes those of the tab that was used last.
 */
export function resumeByCookie(): void {
  resumeWith(async () => {
    const before = currentSession()
    const stored = readChoice()
    const environment = before?.environment ?? stored?.environment ?? null
    const resumed = await request(RESUME, { environment }, { public: true }).then(
      (answer) => present(answer.resumeSession),
      noSession,
    )
    if (!resumed) return false
    // Another account has logged in with this browser meanwhile: in another tab, or just now in the lock dialog, which
    // refuses it.
    if (before && before.userId !== resumed.user.id) {
      if (!before.locked) closeSession()
      return false
    }
    openSession(resumed)
    if (!before && stored?.userId === resumed.user.id) chooseStore(stored.storeId)
    return true
  })
  subscribe(storeChoice)
  addEventListener('focus', storeChoice)
}

/** A cookie that is gone or refused. Another failure, such as a lost connection, says nothing about the session. */
function noSession(error: unknown): null {
  if (error instanceof GatewayError && REFUSALS.includes(error.status)) return null
  throw error
}

function storeChoice(): void {
  const session = currentSession()
  if (!session) {
    for (const storage of STORAGES) storage.removeItem(STORED)
    return
  }
  const choice: Choice = { userId: session.userId, environment: session.environment, storeId: session.storeId }
  for (const storage of STORAGES) storage.setItem(STORED, JSON.stringify(choice))
}

function readChoice(): Choice | null {
  const text = sessionStorage.getItem(STORED) ?? localStorage.getItem(STORED)
  return text === null ? null : JSON.parse(text)
}
