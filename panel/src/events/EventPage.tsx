import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { EventQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { Card } from '../ui/Card'
import { Facts } from '../ui/Facts'
import { Heading } from '../ui/Heading'
import { Notice } from '../ui/Notice'
import { Page } from '../ui/Page'
import { type Column, Table } from '../ui/Table'
import { Time } from '../ui/Time'
import { DeliveryAnswer } from '../webhooks/Deliveries'
import { DeliveryStatus } from '../webhooks/DeliveryStatus'
import { Payload } from '../webhooks/Payload'
import { ResourceLink } from '../webhooks/ResourceLink'
import { eventWords } from './words'

const CHECK_MILLISECONDS = 5000

const EVENT = graphql(`
  query Event($id: ID!) {
    event(id: $id) {
      id type createdAt resourceId test payload
      deliveries { id endpointId status nextAttemptAt lastStatus lastError endpoint { id name } }
    }
  }
`)

type DeliveryOfEvent = NonNullable<EventQuery['event']>['deliveries'][number]

const COLUMNS: readonly Column<DeliveryOfEvent>[] = [
  {
    label: eventWords.endpoint,
    cell: ({ id, endpointId, endpoint }) =>
      endpoint ? (
        <Link to="/dev/webhooks/$id/entregas/$deliveryId" params={{ id: endpointId, deliveryId: id }}>
          {endpoint.name}
        </Link>
      ) : (
        eventWords.removed
      ),
  },
  { label: eventWords.status, cell: ({ status }) => <DeliveryStatus status={status} /> },
  { label: eventWords.answer, cell: (delivery) => <DeliveryAnswer {...delivery} /> },
]

/** One event with its body and where it went. */
export function EventPage() {
  const { id } = useParams({ from: '/frame/developers/dev/eventos/$id' })
  const { data: event } = useSuspenseQuery({
    queryKey: ['events', id],
    queryFn: async ({ signal }) => present((await request(EVENT, { id }, { signal })).event),
    refetchInterval: ({ state: { data } }) =>
      data?.deliveries.some(({ status }) => status === 'pending') ? CHECK_MILLISECONDS : false,
  })
  return (
    <Page
      back={
        <Link to="/dev/eventos" search={{}}>
          {eventWords.title}
        </Link>
      }
      heading={<Heading title={event.type} />}
    >
      {event.test && <Notice kind="info">{eventWords.example}</Notice>}
      <Card title={eventWords.details}>
        <Facts
          facts={[
            { term: eventWords.occurred, value: <Time value={event.createdAt} /> },
            {
              term: eventWords.resource,
              value: event.resourceId && <ResourceLink event={event.type} resourceId={event.resourceId} />,
            },
            { term: eventWords.id, value: event.id },
          ]}
        />
      </Card>
      <Card title={eventWords.deliveries}>
        {event.deliveries.length > 0 ? (
          <Table caption={eventWords.deliveries} columns={COLUMNS} rows={event.deliveries} />
        ) : (
          <p>{eventWords.noDeliveries}</p>
        )}
      </Card>
      <Card title={eventWords.payload}>
        <Payload text={event.payload} />
      </Card>
    </Page>
  )
}
