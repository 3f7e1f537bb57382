import { queryOptions } from '@tanstack/react-query'
import type { SubscriptionQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { formatMoney } from '../ui/format'
import type { Pick, PickSource } from '../ui/PickField'

const SUBSCRIPTION = graphql(`
  query Subscription($id: ID!) {
    subscription(id: $id) {
      id environment customerId customerName customerEmail customerCpf description amount interval intervalCount status
      nextBillingAt endDate maxCycles cyclesCount externalReference lastFailure createdAt updatedAt paidCount
      paidAmount lastPaidAt
      customer { id name email cpf }
    }
  }
`)

export type Subscription = NonNullable<SubscriptionQuery['subscription']>

export const subscriptionQuery = (id: string) =>
  queryOptions({
    queryKey: ['subscriptions', 'one', id],
    queryFn: async ({ signal }) => present((await request(SUBSCRIPTION, { id }, { signal })).subscription),
  })

const UPCOMING = graphql(`
  query UpcomingCharges($id: ID!, $count: Int!) {
    upcomingCharges(id: $id, count: $count) { cycle billingAt amount }
  }
`)

/** The next charges of a subscription. */
export const upcomingQuery = (id: string, count: number) =>
  queryOptions({
    queryKey: ['subscriptions', 'upcoming', id, count],
    queryFn: async ({ signal }) => present((await request(UPCOMING, { id, count }, { signal })).upcomingCharges),
  })

export const UPDATE_SUBSCRIPTION = graphql(`
  mutation UpdateSubscription($input: UpdateSubscriptionContractInput!) { updateSubscription(input: $input) { id } }
`)

const FIND = graphql(`
  query FindSubscriptions($q: String) {
    subscriptions(first: 20, filter: { q: $q }) { edges { node { id customerName description amount } } }
  }
`)

type SubscriptionToPick = { id: string; customerName: string; description?: string | null; amount: number }

const subscriptionPick = ({ id, customerName, description, amount }: SubscriptionToPick): Pick => ({
  value: id,
  label: customerName,
  detail: description ?? formatMoney(amount),
})

export const subscriptionSource: PickSource = {
  of: 'subscriptions',
  find: async (q, signal) => {
    const { subscriptions } = await request(FIND, { q: q || null }, { signal })
    return present(subscriptions).edges.map((edge) => subscriptionPick(edge.node))
  },
  read: async (id, signal) => subscriptionPick(present((await request(SUBSCRIPTION, { id }, { signal })).subscription)),
}
