import { queryOptions } from '@tanstack/react-query'
import type { ChargeQuery, ChargeTimelineQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { pollingInterval } from '../api/live'
import { present } from '../api/present'
import { type Parts, request, requestPartial } from '../api/request'
import { isUnderWay } from '../refunds/refundable'

const PENDING_MILLISECONDS = 2000
const NEW_EVENT_MILLISECONDS = 30_000

const CHARGE = graphql(`
  query Charge($id: ID!) {
    charge(id: $id) {
      id txid status underReview environment description amount originalAmount discountAmount feeAmount netAmount
      customerName customerEmail customerCpf customerPhone couponCode productId externalReference linkReference
      successUrl cancelUrl expiresAt pixCode endToEndId paidAt paidLate refundedAmount createdAt updatedAt checkoutUrl
      receiptUrl qrCodeUrl actions metadata
      customer { id name }
      product { id name price }
      coupon { id }
      subscription { id description }
      paymentLink { id title }
      refunds { id status amount reason rejectReason createdAt completedAt rejectedAt }
    }
  }
`)

export type Charge = NonNullable<ChargeQuery['charge']>

/** One charge, read again while its payment or a refund's result may arrive. */
export const chargeQuery = (id: string) =>
  queryOptions({
    queryKey: ['charge', id],
    queryFn: async ({ signal }) => present((await request(CHARGE, { id }, { signal })).charge),
    refetchInterval: ({ state }) =>
      state.data?.status === 'pending' || state.data?.refunds.some(isUnderWay)
        ? pollingInterval(PENDING_MILLISECONDS)()
        : false,
  })

const TIMELINE = graphql(`
  query ChargeTimeline($id: ID!, $resourceId: String!) {
    auditRecords(first: 50, filter: { resourceType: "charge", resourceId: $resourceId }, order: created_at_asc) {
      edges { node { id action actorName createdAt } }
    }
    events(first: 50, filter: { resourceId: $id }, order: created_at_asc) {
      edges { node { id type createdAt deliveries { id endpointId status finishedAt attempts { status durationMs } } } }
    }
  }
`)

export type Timeline = Parts<ChargeTimelineQuery>

/** What happened to a charge. `status` is part of the key, so that a payment shows at once. */
export const timelineQuery = (id: string, status: string) =>
  queryOptions({
    queryKey: ['charge', id, 'timeline', status],
    queryFn: ({ signal }) => requestPartial(TIMELINE, { id, resourceId: id }, { signal }),
    refetchInterval: ({ state }) => (isChanging(state.data) ? pollingInterval(PENDING_MILLISECONDS)() : false),
  })

/** Whether a webhook is on its way, or an event is so new that its delivery may still begin. */
function isChanging(timeline: Timeline | undefined): boolean {
  const events = timeline?.data.events?.edges.map((edge) => edge.node) ?? []
  const newest = Math.max(...events.map((event) => Date.parse(event.createdAt)), 0)
  const sending = events.some((event) => event.deliveries.some((delivery) => delivery.finishedAt === null))
  return sending || Date.now() - newest < NEW_EVENT_MILLISECONDS
}

const REQUIREMENTS = graphql(`
  query ChargeRequirements { service { minimumAmount } receivingAccount { status aprovacao { aprovada } } }
`)

/** The minimum amount, and the store's receiving account. If one can't be read, the gateway still validates the charge. */
export const requirementsQuery = queryOptions({
  queryKey: ['receivingAccount', 'requirements'],
  queryFn: async ({ signal }) => (await requestPartial(REQUIREMENTS, {}, { signal })).data,
})
