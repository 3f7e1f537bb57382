import type { Environment } from '../api/gql/graphql'

/** What the panel shows of the session. The token itself leaves this module in a header only. */
export type SessionState = {
  userId: string
  environment: Environment
  /** The store of the `x-store` header; null is the account's own. */
  storeId: string | null
  locked: boolean
}

/** What the gateway answers to login, registration and the choice of an environment. */
export type NewSession = { accessToken: string; environment: Environment; user: { id: string } }

const LOGOUT = 'logout'
let token: string | null = null
let state: SessionState | null = null
let waiting: { resolve: () => void; reject: (error: Error) => void }[] = []
const listeners = new Set<() => void>()
const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel('painel') : null

tabs?.addEventListener('message', ({ data }) => {
  if (data === LOGOUT) close()
})

export class SessionClosed extends Error {
  override readonly name = 'SessionClosed'
}

export const currentToken = (): string | null => token
export const currentStore = (): string | null => state?.storeId ?? null
export const currentSession = (): SessionState | null => state

export function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Take a new token. The store stays, if the same account goes on. */
export function openSession(session: NewSession): void {
  const same = state?.userId === session.user.id
  token = session.accessToken
  change({
    userId: session.user.id,
    environment: session.environment,
    storeId: same ? (state?.storeId ?? null) : null,
    locked: false,
  })
  settle((request) => request.resolve())
}

export function chooseStore(storeId: string | null): void {
  if (state) change({ ...state, storeId })
}

/** Show the lock dialog, and wait until the same account has logged in again. */
export function unlock(): Promise<void> {
  if (!state) return Promise.reject(new SessionClosed())
  if (!state.locked) change({ ...state, locked: true })
  return new Promise((resolve, reject) => {
    waiting.push({ resolve, reject })
  })
}

/** Forget the session in every tab. */
export function closeSession(): void {
  tabs?.postMessage(LOGOUT)
  close()
}

/** When the token expires, in milliseconds since 1970. */
export function expiryOf(accessToken: string): number {
  const payload = accessToken.split('.')[1] ?? ''
  const { exp }: { exp: number } = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')))
  return exp * 1000
}

function close(): void {
  token = null
  change(null)
  settle((request) => request.reject(new SessionClosed()))
}

function settle(end: (request: (typeof waiting)[number]) => void): void {
  const requests = waiting
  waiting = []
  requests.forEach(end)
}

function change(next: SessionState | null): void {
  state = next
  for (const listener of listeners) listener()
}
