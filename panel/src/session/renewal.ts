import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { currentToken, expiryOf, openSession, subscribe } from './session'

const RENEW_AT = 0.75
const ACTIVE_MILLISECONDS = 15 * 60_000
const EVENTS = ['pointerdown', 'keydown'] as const

const REFRESH = graphql(`
  mutation RefreshSession {
    refreshSession { accessToken environment user { id } }
  }
`)

/** How long to wait before a token of this lifetime is renewed. */
export function renewalDelay(now: number, expiresAt: number): number {
  return Math.max(0, (expiresAt - now) * RENEW_AT)
}

/** Renew the token at three quarters of its life, if the page was used in the last 15 minutes. */
export function renewSessions(): void {
  let usedAt = Date.now()
  let planned: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  for (const event of EVENTS) {
    addEventListener(event, () => {
      usedAt = Date.now()
    })
  }
  const plan = () => {
    const token = currentToken()
    if (token === planned) return
    clearTimeout(timer)
    planned = token
    if (token) timer = setTimeout(renew, renewalDelay(Date.now(), expiryOf(token)))
  }
  const renew = async () => {
    if (Date.now() - usedAt > ACTIVE_MILLISECONDS) return
    // A refusal is found by the next request, which shows the lock dialog.
    await request(REFRESH, {}, { keepLocked: true }).then(
      ({ refreshSession }) => openSession(present(refreshSession)),
      () => undefined,
    )
  }
  subscribe(plan)
}
