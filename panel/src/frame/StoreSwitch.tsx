import { useQueryClient } from '@tanstack/react-query'
import { chooseStore } from '../session/session'
import { Choice } from '../ui/Choice'
import { setTimeZone } from '../ui/format'
import { words } from '../words/pt-BR'
import type { Viewer } from './queries'
import { useLeaveRecord } from './useLeaveRecord'

/** The stores in which the account works. With one only there is nothing to choose. */
export function StoreSwitch({ viewer }: { viewer: Viewer }) {
  const cache = useQueryClient()
  const leaveRecord = useLeaveRecord()
  if (viewer.stores.length < 2) return <strong>{viewer.store.name}</strong>

  async function choose(id: string) {
    const chosen = viewer.stores.find((store) => store.id === id)
    await leaveRecord()
    // Before the pages read their days again.
    if (chosen) setTimeZone(chosen.timeZone)
    chooseStore(id === viewer.user.id ? null : id)
    void cache.resetQueries()
  }

  return (
    <Choice
      label={words.frame.store}
      value={viewer.store.id}
      options={viewer.stores.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={choose}
    />
  )
}
