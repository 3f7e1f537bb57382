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

let token: string | null = null
let state: SessionState | null = null
let resuming: Promise<boolean> | null = null
let resume: () => Promise<boolean> = async () => false
let waiting: { resolve: () => void; reject: (error: Error) => void }[] = []
const listeners = new Set<() => void>()
const tabs = 'BroadcastChannel' in globalThis ? new BroadcastChannel('painel') : null

tabs?.addEventListener('message', ({ data }) => {
  if (data === state?.userId) close()
})

export class SessionClosed extends Error {
  override readonly name = 'SessionClosed'
}

/** The session goes on in another environment, for which a waiting request was not meant. */
export class EnvironmentChanged extends Error {
  override readonly name = 'EnvironmentChanged'
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

/**
 * Set how a session is resumed without the password. `how` opens the session, and returns whether there is one. It fails
 * if that can't be known now.
 */
export function resumeWith(how: () => Promise<boolean>): void {
  resume = how
}

/** Resume the session of this browser, if it has one. Callers at the same time share one attempt. */
export function resumeSession(): Promise<boolean> {
  resuming ??= resume().finally(() => {
    resuming = null
  })
  return resuming
}

/** Get a new token for an expired session: resumed, or else by the lock dialog, when the same account has logged in. */
export async function unlock(): Promise<void> {
  if (!state) throw new SessionClosed()
  const { environment } = state
  if (!(await resumeSession())) await waitForLogin()
  if (currentSession()?.environment !== environment) throw new EnvironmentChanged()
}

async function waitForLogin(): Promise<void> {
  if (!state) throw new SessionClosed()
  if (!state.locked) change({ ...state, locked: true })
  await new Promise<void>((resolve, reject) => {
    waiting.push({ resolve, reject })
  })
}

/** Forget the session in every tab of the account. */
export function closeSession(): void {
  if (state) tabs?.postMessage(state.userId)
  close()
}

/** When the token expires, in milliseconds since 1970. */
export const expiryOf = (accessToken: string): number => claimsOf(accessToken).exp * 1000

/** How long a token is valid in all, in milliseconds. Unlike `expiryOf`, it needs no right clock on this device. */
export function lifetimeOf(issuedToken: string): number {
  const { iat, exp } = claimsOf(issuedToken)
  return (exp - iat) * 1000
}

function claimsOf(jwt: string): { iat: number; exp: number } {
  const payload = jwt.split('.')[1] ?? ''
  return JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')))
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
