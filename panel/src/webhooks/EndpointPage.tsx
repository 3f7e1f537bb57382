import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Card } from '../ui/Card'
import { Facts } from '../ui/Facts'
import { Heading } from '../ui/Heading'
import { Page } from '../ui/Page'
import { Time } from '../ui/Time'
import { Deliveries } from './Deliveries'
import { EndpointActions } from './EndpointActions'
import { EndpointAddress } from './EndpointAddress'
import { dayOf, EndpointHealth } from './EndpointHealth'
import { EndpointStatus } from './EndpointStatus'
import { InactiveSteps } from './InactiveSteps'
import { type Endpoint, endpointQuery } from './queries'
import { missedFrom, ReplayDialog } from './ReplayDialog'
import { webhookWords } from './words'

export function EndpointPage() {
  const { id } = useParams({ from: '/frame/developers/dev/webhooks/$id' })
  const { data: endpoint } = useSuspenseQuery(endpointQuery(id))
  const [missedSince, setMissedSince] = useState<string | null>(null)
  return (
    <Page
      back={
        <Link to="/dev/webhooks" search={{}}>
          {webhookWords.title}
        </Link>
      }
      heading={<Heading title={endpoint.name} />}
      status={<EndpointStatus {...endpoint} />}
      actions={<EndpointActions endpoint={endpoint} />}
    >
      {!endpoint.active && (
        <InactiveSteps endpoint={endpoint} onActivate={() => setMissedSince(missedFrom(endpoint))} />
      )}
      {missedSince && <ReplayDialog endpoint={endpoint} since={missedSince} onClose={() => setMissedSince(null)} />}
      <Card title={webhookWords.details}>
        <Facts facts={factsOf(endpoint)} />
      </Card>
      <Card title={webhookWords.deliveries}>
        <Deliveries endpointId={endpoint.id} />
      </Card>
    </Page>
  )
}

function factsOf(endpoint: Endpoint) {
  const { health, events, previousSecretUntil, expiresAt } = endpoint
  return [
    { term: webhookWords.url, value: <EndpointAddress {...endpoint} /> },
    {
      term: webhookWords.health,
      value: (
        <>
          <EndpointHealth health={health} />
          {health?.lastAttemptAt && <div>{dayOf(health)}</div>}
        </>
      ),
    },
    { term: webhookWords.events, value: events.length > 0 ? events.join(', ') : webhookWords.allEvents },
    { term: webhookWords.secretPreview, value: <code>{endpoint.secretPreview}…</code> },
    { term: webhookWords.previousSecret, value: previousSecretUntil && <Time value={previousSecretUntil} /> },
    { term: webhookWords.receiverUntil, value: expiresAt && <Time value={expiresAt} /> },
    { term: webhookWords.created, value: <Time value={endpoint.createdAt} /> },
  ]
}
