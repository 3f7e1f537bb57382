import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { HomeQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { pollingInterval } from '../api/live'
import { type Parts, requestPartial } from '../api/request'
import { storeNow, timeZone } from '../ui/format'
import { daysOf } from './days'
import type { Period } from './period'

const REFRESH_MILLISECONDS = 30_000

const HOME = graphql(`
  query Home($from: Date!, $to: Date!, $timeZone: String!) {
    chargeFigures(from: $from, to: $to, timeZone: $timeZone) {
      total { paidCount paidAmount }
      previous { paidCount paidAmount }
      steps { from paidAmount }
    }
    issued: chargeFigures(from: $from, to: $to, timeZone: $timeZone, by: month) { total { issuedCount } }
    issuedAndPaid: chargeFigures(from: $from, to: $to, timeZone: $timeZone, by: month, filter: { status: paid }) {
      total { issuedCount }
    }
    withdrawalSummary { availableAmount pendingAmount chargesCount }
    charges(first: 5) {
      totalCount
      edges { node { id status underReview amount refundedAmount description customerName createdAt } }
    }
    open: charges(first: 0, filter: { status: pending }) { totalCount totalCapped totalAmount }
    withdrawals(first: 1) { edges { node { id status } } }
    production { status }
    receivingAccount { status }
    webhookEndpoints(first: 0) { totalCount }
    failing: subscriptions(first: 0, filter: { failing: true }) { totalCount }
    apiKeys(first: 0) { totalCount }
  }
`)

export type Home = Parts<HomeQuery>

/** The whole page in one document, whose parts fail alone. */
export function homeQuery(period: Period) {
  const days = daysOf(period, storeNow())
  return queryOptions({
    queryKey: ['home', days],
    queryFn: ({ signal }) => requestPartial(HOME, { ...days, timeZone: timeZone() }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: pollingInterval(REFRESH_MILLISECONDS),
  })
}
