import { queryOptions } from '@tanstack/react-query'
import { ask } from '../api/ask'
import { graphql } from '../api/gql'
import type { ChargeQuery } from '../api/gql/graphql'
import { present } from '../api/present'

const PENDING_MILLISECONDS = 2000

const CHARGE = graphql(`
  query Charge($id: ID!) {
    charge(id: $id) {
      id txid status underReview environment description amount originalAmount discountAmount feeAmount netAmount
      customerName customerEmail customerCpf customerPhone couponCode productId externalReference linkReference metadata
      successUrl cancelUrl expiresAt pixCode endToEndId paidAt paidLate createdAt checkoutUrl receiptUrl qrCodeUrl
      customer { id name }
      product { id name price }
      subscription { id description }
      paymentLink { id title }
    }
  }
`)

export type Charge = NonNullable<ChargeQuery['charge']>

/** One charge, read again while its payment may arrive. */
export const chargeQuery = (id: string) =>
  queryOptions({
    queryKey: ['charge', id],
    queryFn: async ({ signal }) => present((await ask(CHARGE, { id }, { signal })).charge),
    refetchInterval: ({ state }) => (state.data?.status === 'pending' ? PENDING_MILLISECONDS : false),
  })

const TIMELINE = graphql(`
  query ChargeTimeline($id: String!) {
    auditRecords(first: 50, filter: { resourceType: "charge", resourceId: $id }, order: created_at_asc) {
      edges { node { id action actorName createdAt } }
    }
  }
`)

/** What happened to a charge. `status` is part of the key, so that a payment shows at once. */
export const timelineQuery = (id: string, status: string) =>
  queryOptions({
    queryKey: ['charge', id, 'timeline', status],
    queryFn: async ({ signal }) => {
      const { auditRecords } = await ask(TIMELINE, { id }, { signal })
      return present(auditRecords).edges.map((edge) => edge.node)
    },
  })
