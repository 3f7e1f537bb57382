import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { ViewerQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { setTimeZone } from '../ui/format'

const VIEWER = graphql(`
  query Viewer {
    viewer { role environment isStaff lacksSecondFactor operations store { id name productionStatus timeZone } }
    me { user { id name email } }
    stores { id name timeZone }
  }
`)

export type Viewer = NonNullable<ViewerQuery['viewer']> & {
  user: NonNullable<ViewerQuery['me']>['user']
  stores: NonNullable<ViewerQuery['stores']>
}

/** The caller, the current store, and what may be done in it. Pages show times in the store's zone from then on. */
export const viewerQuery = queryOptions({
  queryKey: ['viewer'],
  queryFn: async ({ signal }): Promise<Viewer> => {
    const { viewer, me, stores } = await request(VIEWER, {}, { signal })
    setTimeZone(present(viewer).store.timeZone)
    return { ...present(viewer), user: present(me).user, stores: present(stores) }
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
