import { queryOptions } from '@tanstack/react-query'
import type { BalanceSummaryQuery, PixKeysQuery, ReceivedRepaymentQuery, WithdrawalQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request, requestPartial } from '../api/request'

const TRANSFER_MILLISECONDS = 3000
const BALANCE_MILLISECONDS = 15_000

const SUMMARY = graphql(`
  query BalanceSummary {
    withdrawalSummary {
      grossAmount feeAmount netAmount withdrawnAmount pendingAmount availableAmount chargesCount withdrawalsCount modo
    }
  }
`)

export type Summary = NonNullable<BalanceSummaryQuery['withdrawalSummary']>

export const summaryQuery = queryOptions({
  queryKey: ['balance', 'summary'],
  queryFn: async ({ signal }) => present((await request(SUMMARY, {}, { signal })).withdrawalSummary),
  refetchInterval: BALANCE_MILLISECONDS,
})

const RECENT = graphql(`
  query RecentMoneyOut {
    withdrawals(first: 5) { edges { node { id status amount netAmount pixKey pixKeyType createdAt } } }
    receivedRepayments(first: 5) {
      edges { node { id status netAmount chargesCount paidFrom paidTo createdAt } }
    }
  }
`)

/** The last withdrawals and repayments. Each list fails alone. */
export const recentQuery = queryOptions({
  queryKey: ['balance', 'recent'],
  queryFn: ({ signal }) => requestPartial(RECENT, {}, { signal }),
  refetchInterval: BALANCE_MILLISECONDS,
})

const WITHDRAWAL = graphql(`
  query Withdrawal($id: ID!) {
    withdrawal(id: $id) {
      id status amount feeAmount netAmount pixKey pixKeyType description externalReference rejectReason endToEndId
      createdAt completedAt rejectedAt
    }
  }
`)

export type Withdrawal = NonNullable<WithdrawalQuery['withdrawal']>

const UNDER_WAY: readonly string[] = ['pending', 'processing']

/** One withdrawal, read again until it ends. */
export const withdrawalQuery = (id: string) =>
  queryOptions({
    queryKey: ['balance', 'withdrawal', id],
    queryFn: async ({ signal }) => present((await request(WITHDRAWAL, { id }, { signal })).withdrawal),
    refetchInterval: ({ state }) => (UNDER_WAY.includes(state.data?.status ?? '') ? TRANSFER_MILLISECONDS : false),
  })

const QUOTE = graphql(`
  query QuoteWithdrawal($amount: Reais!) { quoteWithdrawal(amount: $amount) { feeAmount netAmount } }
`)

/** What a withdrawal would cost at most, in reais. */
export const quoteQuery = (amount: number) =>
  queryOptions({
    queryKey: ['balance', 'quote', amount],
    queryFn: async ({ signal }) => present((await request(QUOTE, { amount }, { signal })).quoteWithdrawal),
  })

const REPAYMENT = graphql(`
  query ReceivedRepayment($id: ID!) {
    receivedRepayment(id: $id) {
      id status paidFrom paidTo grossAmount feeAmount deductedAmount netAmount chargesCount deductedCount endToEndId
      createdAt concludedAt
    }
  }
`)

export type ReceivedRepayment = NonNullable<ReceivedRepaymentQuery['receivedRepayment']>

export const repaymentQuery = (id: string) =>
  queryOptions({
    queryKey: ['balance', 'repayment', id],
    queryFn: async ({ signal }) => present((await request(REPAYMENT, { id }, { signal })).receivedRepayment),
  })

const PIX_KEYS = graphql(`
  query PixKeys { pixKeys { id name pixKey pixKeyType } }
`)

export type SavedPixKey = NonNullable<PixKeysQuery['pixKeys']>[number]

/** The keys that the store saved for its withdrawals. */
export const pixKeysQuery = queryOptions({
  queryKey: ['balance', 'pixKeys'],
  queryFn: async ({ signal }) => present((await request(PIX_KEYS, {}, { signal })).pixKeys),
})
