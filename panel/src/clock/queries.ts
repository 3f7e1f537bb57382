import { queryOptions } from '@tanstack/react-query'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'

const ADVANCING_MILLISECONDS = 1000
const READY_MILLISECONDS = 15_000

const CLOCK = graphql(`
  query TestClock { testClock { now offsetSeconds status advancingTo } }
`)

/** The test clock, which is read each second while it advances. */
export const clockQuery = queryOptions({
  queryKey: ['test clock'],
  queryFn: async ({ signal }) => present((await request(CLOCK, {}, { signal })).testClock),
  refetchInterval: ({ state: { data } }) =>
    data?.status === 'advancing' ? ADVANCING_MILLISECONDS : READY_MILLISECONDS,
})

const EVENTS_SINCE = graphql(`
  query EventsOfAdvance($from: DateTime!) {
    events(first: 50, filter: { createdFrom: $from }, order: created_at_asc) {
      pageInfo { hasNextPage }
      edges { node { id type payload } }
    }
  }
`)

/** What has happened since an instant of the real time, which is the log's; at what time of the store is in the body. */
export const eventsSinceQuery = (from: string, advancing: boolean) =>
  queryOptions({
    queryKey: ['events', 'since', from],
    queryFn: async ({ signal }) => {
      const { edges, pageInfo } = present((await request(EVENTS_SINCE, { from }, { signal })).events)
      const events = edges.map(({ node: { id, type, payload } }) => ({ id, type, at: storeTimeOf(payload) }))
      return { events, hasMore: pageInfo.hasNextPage }
    },
    refetchInterval: advancing ? ADVANCING_MILLISECONDS : false,
  })

function storeTimeOf(payload: string): string {
  const { created_at }: { created_at: string } = JSON.parse(payload)
  return created_at
}
