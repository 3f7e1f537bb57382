import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { closeSession } from './session'

const SESSIONS = graphql(`
  query CurrentSession { sessions { id current } }
`)
const END = graphql(`
  mutation EndSession($id: ID!) { endSession(id: $id) { id } }
`)

/** End the panel's session at the gateway, or that of `token`, and the cookie that resumes it. */
export async function endSession(token?: string): Promise<void> {
  const options = { keepLocked: true, ...(token !== undefined && { token }) }
  const { sessions } = await request(SESSIONS, {}, options)
  const current = sessions?.find((session) => session.current)
  if (current) await request(END, { id: current.id }, options)
}

/** End this session at the gateway, and forget it here even if the gateway doesn't answer. */
export async function logOut(): Promise<void> {
  try {
    await endSession()
  } catch {
    // The session has expired, or the gateway is away: its token ends by itself within the hour.
  } finally {
    closeSession()
  }
}
