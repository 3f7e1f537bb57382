import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ByCreation, WebhookDeliveriesQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useConnection } from '../api/useConnection'
import { useCan } from '../frame/queries'
import { exportedFile } from '../list/exportedFile'
import { filterOf } from '../list/filterOf'
import { List } from '../list/ListPage'
import type { FilterField, ListControls } from '../list/search'
import { useListSearch } from '../list/useListSearch'
import { formatWait } from '../ui/format'
import { optionsOf } from '../ui/options'
import type { Column } from '../ui/Table'
import { Time } from '../ui/Time'
import { DeliveryStatus } from './DeliveryStatus'
import { eventsQuery } from './queries'
import { creationOrders, deliveryExportColumns, deliveryStatuses, webhookWords } from './words'

const DELIVERIES = graphql(`
  query WebhookDeliveries(
    $endpointId: ID!, $first: Int, $after: String, $filter: WebhookDeliveryFilter, $order: ByCreation!
  ) {
    webhookDeliveries(endpointId: $endpointId, first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id endpointId event test status nextAttemptAt lastStatus lastError createdAt } }
    }
  }
`)

const EXPORT = graphql(`
  mutation ExportDeliveries(
    $filter: DeliveryFilter, $order: ByCreation!, $format: ExportFormat!, $columns: [DeliveryColumn!]
  ) {
    exportDeliveries(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`)

export type DeliveryRow = NonNullable<WebhookDeliveriesQuery['webhookDeliveries']>['edges'][number]['node']

/** The event of a delivery, which leads to the delivery's page. */
export function DeliveryLink({
  endpointId,
  id,
  event,
  test,
}: Pick<DeliveryRow, 'endpointId' | 'id' | 'event' | 'test'>) {
  return (
    <>
      <Link to="/dev/webhooks/$id/entregas/$deliveryId" params={{ id: endpointId, deliveryId: id }}>
        {event}
      </Link>
      {test && ` (${webhookWords.test})`}
    </>
  )
}

/** The last answer, and when the next attempt begins. */
export function DeliveryAnswer({
  status,
  nextAttemptAt,
  lastStatus,
  lastError,
}: Pick<DeliveryRow, 'status' | 'nextAttemptAt' | 'lastStatus' | 'lastError'>) {
  const answer = lastStatus ?? (lastError ? webhookWords.noAnswer : null)
  const next = status === 'pending' && nextAttemptAt && webhookWords.next(formatWait(nextAttemptAt))
  return <>{[answer, next].filter(Boolean).join(' · ')}</>
}

const COLUMNS: readonly Column<DeliveryRow>[] = [
  { label: webhookWords.event, cell: (delivery) => <DeliveryLink {...delivery} /> },
  { label: webhookWords.status, cell: (delivery) => <DeliveryStatus status={delivery.status} /> },
  { label: webhookWords.answer, cell: (delivery) => <DeliveryAnswer {...delivery} /> },
  { label: webhookWords.occurred, cell: (delivery) => <Time value={delivery.createdAt} /> },
]

/** The deliveries of an endpoint, with their filters in the address. */
export function Deliveries({ endpointId }: { endpointId: string }) {
  const can = useCan()
  const events = useQuery(eventsQuery)
  const filters: readonly FilterField[] = [
    {
      name: 'event',
      label: webhookWords.event,
      kind: 'choice',
      options: events.data?.map(({ event }) => ({ value: event, label: event })),
    },
    { name: 'httpStatus', label: webhookWords.httpStatus, kind: 'number' },
    { name: 'createdFrom', label: webhookWords.createdSince, kind: 'date' },
    { name: 'createdTo', label: webhookWords.createdUntil, kind: 'date' },
    { name: 'eventId', label: webhookWords.eventId, kind: 'text' },
    { name: 'resourceId', label: webhookWords.resourceId, kind: 'text' },
  ]
  const controls: ListControls = {
    tabs: { name: 'status', label: webhookWords.status, options: optionsOf(deliveryStatuses) },
    filters,
    placeholder: webhookWords.searchDelivery,
    orders: optionsOf(creationOrders),
  }
  const [search, onSearch] = useListSearch(controls)
  const order = (search.order ?? 'created_at_desc') as ByCreation
  const filter = filterOf(search, filters)
  const list = useConnection(['webhooks', endpointId, 'deliveries', search], async (after, signal) => {
    const variables = { endpointId, first: 25, after, filter, order }
    return present((await request(DELIVERIES, variables, { signal })).webhookDeliveries)
  })
  return (
    <List
      title={webhookWords.deliveries}
      search={search}
      onSearch={onSearch}
      {...controls}
      list={list}
      columns={COLUMNS}
      file={
        can('exportDeliveries') &&
        exportedFile(deliveryExportColumns, async (choice) =>
          present((await request(EXPORT, { filter: { ...filter, endpointId }, order, ...choice })).exportDeliveries),
        )
      }
      empty={{ title: webhookWords.deliveryEmpty, lead: webhookWords.deliveryEmptyLead, docs: 'grupo-webhooks' }}
    />
  )
}
