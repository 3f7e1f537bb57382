import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { GatewayError } from '../api/errors'
import type { ViewerQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { chooseStore, currentSession, currentStore } from '../session/session'
import { setClock, setTimeZone } from '../ui/format'

const STORE_REFUSED = 'LOJA_NAO_AUTORIZADA'

const VIEWER = graphql(`
  query Viewer($test: Boolean!) {
    viewer { role environment isStaff lacksSecondFactor operations refused { operation codigo } store { id name productionStatus timeZone } }
    me { user { id name email } }
    stores { id name timeZone }
    testClock @include(if: $test) { offsetSeconds }
  }
`)

export type Viewer = NonNullable<ViewerQuery['viewer']> & {
  user: NonNullable<ViewerQuery['me']>['user']
  stores: NonNullable<ViewerQuery['stores']>
  /** How far the store's clock is ahead. Only a test has such a clock. */
  aheadSeconds: number
}

/** The caller, the current store, and what may be done in it. From then on pages have the store's zone and clock. */
export const viewerQuery = queryOptions({
  queryKey: ['viewer'],
  queryFn: async ({ signal }): Promise<Viewer> => {
    const test = currentSession()?.environment === 'test'
    const read = () => request(VIEWER, { test }, { signal })
    const { viewer, me, stores, testClock } = await read().catch((error) => {
      if (!(error instanceof GatewayError && error.code === STORE_REFUSED && currentStore())) throw error
      // A member who was removed goes on in the own store.
      chooseStore(null)
      return read()
    })
    const aheadSeconds = testClock?.offsetSeconds ?? 0
    setTimeZone(present(viewer).store.timeZone)
    setClock(aheadSeconds)
    return { ...present(viewer), user: present(me).user, stores: present(stores), aheadSeconds }
  },
  staleTime: 60_000,
})

/** The name of a root field of the schema, such as `issueCharge`. A test compares these names with the schema. */
export type Can = (field: string) => boolean

/** Says whether the caller may use a field of GraphQL now. Pages have no button for the rest. */
export function useCan(): Can {
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  return (field) => viewer.operations.includes(field)
}
