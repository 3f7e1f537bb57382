import { queryOptions } from '@tanstack/react-query'
import type { WebhookDeliveryQuery, WebhookEndpointQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'

const HEALTH_MILLISECONDS = 15_000
const SOON_MILLISECONDS = 2000

const ENDPOINT = graphql(`
  query WebhookEndpoint($id: ID!) {
    webhookEndpoint(id: $id) {
      id name url environment events version secretPreview previousSecretUntil active disabledReason disabledAt expiresAt
      createdAt
      health { lastSuccessAt lastAttemptAt firstFailureAt consecutiveFailures delivered24h failed24h }
    }
  }
`)

export type Endpoint = NonNullable<WebhookEndpointQuery['webhookEndpoint']>

/** One endpoint with its health. */
export const endpointQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', id],
    queryFn: async ({ signal }) => present((await request(ENDPOINT, { id }, { signal })).webhookEndpoint),
    refetchInterval: HEALTH_MILLISECONDS,
  })

const EVENTS = graphql(`
  query WebhookEvents { webhookEvents { event description } }
`)

/** The catalogue of events. */
export const eventsQuery = queryOptions({
  queryKey: ['webhook events'],
  queryFn: async ({ signal }) => present((await request(EVENTS, {}, { signal })).webhookEvents),
  staleTime: Number.POSITIVE_INFINITY,
})

const DELIVERY = graphql(`
  query WebhookDelivery($endpointId: ID!, $deliveryId: ID!) {
    webhookDelivery(endpointId: $endpointId, deliveryId: $deliveryId) {
      id endpointId eventId event resourceId test status nextAttemptAt lastStatus lastError canceledReason createdAt finishedAt
      attemptsCount payload requestHeaders
      attempts { number startedAt durationMs address status errorCode requestHeaders responseHeaders response }
      endpoint { id name active secretPreview }
    }
  }
`)

export type Delivery = NonNullable<WebhookDeliveryQuery['webhookDelivery']>

/** One delivery, read again while an attempt is under way or about to begin. */
export const deliveryQuery = (endpointId: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['webhooks', endpointId, 'delivery', deliveryId],
    queryFn: async ({ signal }) =>
      present((await request(DELIVERY, { endpointId, deliveryId }, { signal })).webhookDelivery),
    refetchInterval: ({ state: { data } }) => {
      if (data?.status !== 'pending') return false
      return isUnderWay(data) ? SOON_MILLISECONDS : HEALTH_MILLISECONDS
    },
  })

/** Whether the gateway is sending a delivery now, or in the next seconds. */
export function isUnderWay({ status, nextAttemptAt }: Pick<Delivery, 'status' | 'nextAttemptAt'>): boolean {
  if (status !== 'pending') return false
  return !nextAttemptAt || new Date(nextAttemptAt).getTime() - Date.now() < SOON_MILLISECONDS
}
