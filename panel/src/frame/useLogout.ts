import { endSession } from '../session/endSession'
import { closeSession } from '../session/session'

/** End this session at the gateway, and forget it here even if the gateway doesn't answer. */
export function useLogout(): () => Promise<void> {
  return async () => {
    try {
      await endSession()
    } catch {
      // The session has expired, or the gateway is away: its token ends by itself within the hour.
    } finally {
      closeSession()
    }
  }
}
