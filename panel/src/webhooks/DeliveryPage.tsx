import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { useCan } from '../frame/queries'
import { ActionButton } from '../ui/ActionButton'
import { Button } from '../ui/Button'
import { Card } from '../ui/Card'
import { Facts } from '../ui/Facts'
import { Heading } from '../ui/Heading'
import { Notice } from '../ui/Notice'
import { Page } from '../ui/Page'
import { Time } from '../ui/Time'
import { Attempts } from './Attempts'
import { DeliveryAnswer } from './Deliveries'
import { DeliveryStatus } from './DeliveryStatus'
import { Payload } from './Payload'
import { type Delivery, deliveryQuery, isUnderWay } from './queries'
import { ResourceLink } from './ResourceLink'
import { SignatureCheck } from './SignatureCheck'
import { attemptErrors, canceledReasons, webhookWords } from './words'

const REDELIVER = graphql(`
  mutation RedeliverWebhook($endpointId: ID!, $deliveryId: ID!) {
    redeliverWebhook(endpointId: $endpointId, deliveryId: $deliveryId) { id }
  }
`)

export function DeliveryPage() {
  const { id, deliveryId } = useParams({ from: '/frame/developers/dev/webhooks/$id/entregas/$deliveryId' })
  const { data: delivery } = useSuspenseQuery(deliveryQuery(id, deliveryId))
  return (
    <Page
      back={
        <Link to="/dev/webhooks/$id" params={{ id }} search={{}}>
          {delivery.endpoint?.name ?? webhookWords.endpoint}
        </Link>
      }
      heading={<Heading title={`${webhookWords.delivery} · ${delivery.event}`} />}
      status={<DeliveryStatus status={delivery.status} />}
      actions={<Redeliver endpointId={id} delivery={delivery} />}
      aside={
        <Card title={webhookWords.details}>
          <Facts facts={factsOf(delivery)} />
        </Card>
      }
    >
      {delivery.canceledReason && <Notice kind="info">{canceledReasons[delivery.canceledReason]}</Notice>}
      <Card title={webhookWords.attempts}>
        <Attempts attempts={delivery.attempts} />
      </Card>
      <Card title={webhookWords.payload}>
        <Payload text={delivery.payload} />
      </Card>
      <SignatureCheck delivery={delivery} />
    </Page>
  )
}

function factsOf(delivery: Delivery) {
  const { lastError } = delivery
  return [
    { term: webhookWords.answer, value: <DeliveryAnswer {...delivery} /> },
    { term: webhookWords.failure, value: lastError && (attemptErrors[lastError] ?? lastError) },
    {
      term: webhookWords.event,
      value: (
        <Link to="/dev/eventos/$id" params={{ id: delivery.eventId }}>
          {delivery.eventId}
        </Link>
      ),
    },
    { term: webhookWords.resourceId, value: delivery.resourceId && <ResourceLink {...delivery} /> },
    { term: webhookWords.deliveryId, value: delivery.id },
    { term: webhookWords.occurred, value: <Time value={delivery.createdAt} /> },
    { term: webhookWords.finished, value: delivery.finishedAt && <Time value={delivery.finishedAt} /> },
  ]
}

/** Sends the delivery again, in any state, unless it is being sent. The page follows it until it ends. */
function Redeliver({ endpointId, delivery }: { endpointId: string; delivery: Delivery }) {
  const can = useCan()
  const cache = useQueryClient()
  const keyOf = useIdempotencyKey()
  const { id, status, attemptsCount, endpoint } = delivery
  if (!can('redeliverWebhook') || !endpoint) return null
  if (!endpoint.active) return <p>{webhookWords.redeliverInactive}</p>
  if (isUnderWay(delivery)) {
    return (
      <Button variant="plain" busy>
        {webhookWords.underWay}
      </Button>
    )
  }

  async function redeliver() {
    const variables = { endpointId, deliveryId: id }
    await request(REDELIVER, variables, { idempotencyKey: keyOf({ status, attemptsCount }) })
    await cache.invalidateQueries({ queryKey: ['webhooks', endpointId] })
  }

  return (
    <ActionButton label={status === 'pending' ? webhookWords.retryNow : webhookWords.redeliver} onAct={redeliver} />
  )
}
