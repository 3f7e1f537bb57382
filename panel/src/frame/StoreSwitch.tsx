import { useQueryClient } from '@tanstack/react-query'
import type { ViewerQuery } from '../api/gql/graphql'
import { chooseStore } from '../session/session'
import { useSession } from '../session/useSession'
import { Choice } from '../ui/Choice'
import { words } from '../words/pt-BR'
import { storeOf } from './queries'

/** The stores in which the account works. With one only there is nothing to choose. */
export function StoreSwitch({ viewer }: { viewer: ViewerQuery }) {
  const session = useSession()
  const cache = useQueryClient()
  const stores = viewer.stores ?? []
  const current = storeOf(viewer, session?.storeId ?? null)
  if (!current || stores.length < 2) return current ? <strong>{current.name}</strong> : null

  function choose(id: string) {
    chooseStore(id === viewer.me?.user.id ? null : id)
    void cache.resetQueries()
  }

  return (
    <Choice
      label={words.frame.store}
      value={current.id}
      options={stores.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={choose}
    />
  )
}
