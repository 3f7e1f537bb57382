import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask'
import { graphql } from '../api/gql'
import { present } from '../api/present'

const ADVANCING_MILLISECONDS = 1000
const READY_MILLISECONDS = 15_000

const CLOCK = graphql(`
  query TestClock { testClock { now offsetSeconds status advancingTo } }
`)

/** The test clock, which is read each second while it advances. */
export const clockQuery = queryOptions({
  queryKey: ['test clock'],
  queryFn: async ({ signal }) => present((await ask(CLOCK, {}, { signal })).testClock),
  refetchInterval: ({ state: { data } }) =>
    data?.status === 'advancing' ? ADVANCING_MILLISECONDS : READY_MILLISECONDS,
})

export const ADVANCE_CLOCK = graphql(`
  mutation AdvanceTestClock($to: DateTime!) { advanceTestClock(to: $to) { status } }
`)

const EVENTS_BETWEEN = graphql(`
  query EventsOfAdvance($from: DateTime!, $to: DateTime!) {
    events(first: 50, filter: { createdFrom: $from, createdTo: $to }, order: created_at_asc) {
      pageInfo { hasNextPage }
      edges { node { id type resourceId createdAt } }
    }
  }
`)

/** What happens on the way between two times of the store's clock. */
export const eventsBetweenQuery = (from: string, to: string, advancing: boolean) =>
  queryOptions({
    queryKey: ['events', 'between', from, to],
    queryFn: async ({ signal }) => {
      const { edges, pageInfo } = present((await ask(EVENTS_BETWEEN, { from, to }, { signal })).events)
      return { events: edges.map((edge) => edge.node), hasMore: pageInfo.hasNextPage }
    },
    refetchInterval: advancing ? ADVANCING_MILLISECONDS : false,
  })
