import { useSyncExternalStore } from 'react'
import { Notice } from '../ui/Notice'
import { words } from '../words/pt-BR'

/** Says that the browser is offline. What is shown stays. */
export function OfflineBar() {
  const online = useSyncExternalStore(watch, () => navigator.onLine)
  return online ? null : <Notice kind="error">{words.frame.offline}</Notice>
}

function watch(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}
