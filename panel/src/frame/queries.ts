import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask'
import { graphql } from '../api/gql'
import type { ViewerQuery } from '../api/gql/graphql'

const VIEWER = graphql(`
  query Viewer {
    me { environment user { id name email isAdmin productionStatus } }
    stores { id name role productionStatus }
  }
`)

export type StoreChoice = NonNullable<ViewerQuery['stores']>[number]

/** Who works here, and in which stores. */
export const viewerQuery = queryOptions({
  queryKey: ['viewer'],
  queryFn: ({ signal }) => ask(VIEWER, {}, { signal }),
  staleTime: 60_000,
})

/** The store of `x-store`; without one, the account's own. */
export function storeOf(viewer: ViewerQuery, storeId: string | null): StoreChoice | undefined {
  const id = storeId ?? viewer.me?.user.id
  return viewer.stores?.find((store) => store.id === id)
}
