import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { closeSession } from '../session/session'

const SESSIONS = graphql(`
  query CurrentSession { sessions { id current } }
`)
const END = graphql(`
  mutation EndSession($id: ID!) { endSession(id: $id) { id } }
`)

/** End this session at the gateway, and forget it here even if the gateway doesn't answer. */
export function useLogout(): () => Promise<void> {
  return async () => {
    try {
      const { sessions } = await request(SESSIONS, {}, { keepLocked: true })
      const current = sessions?.find((session) => session.current)
      if (current) await request(END, { id: current.id }, { keepLocked: true })
    } catch {
      // The session has expired, or the gateway is away: its token ends by itself within the hour.
    } finally {
      closeSession()
    }
  }
}
