import { useSyncExternalStore } from 'react'
import { currentSession, type SessionState, subscribe } from './session'

export function useSession(): SessionState | null {
  return useSyncExternalStore(subscribe, currentSession)
}
