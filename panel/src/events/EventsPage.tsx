import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ByCreation, EventsQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useConnection } from '../api/useConnection'
import { useCan } from '../frame/queries'
import { exportedFile } from '../list/exportedFile'
import { filterOf } from '../list/filterOf'
import { ListPage } from '../list/ListPage'
import type { FilterField, ListControls } from '../list/search'
import { useListSearch } from '../list/useListSearch'
import { optionsOf } from '../ui/options'
import type { Column } from '../ui/Table'
import { Time } from '../ui/Time'
import { eventsQuery } from '../webhooks/queries'
import { ResourceLink } from '../webhooks/ResourceLink'
import { creationOrders } from '../webhooks/words'
import { eventExportColumns, eventWords } from './words'

const EVENTS = graphql(`
  query Events($first: Int, $after: String, $filter: EventFilter, $order: ByCreation!) {
    events(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id type resourceId test createdAt } }
    }
  }
`)

const EXPORT = graphql(`
  mutation ExportEvents($filter: EventFilter, $order: ByCreation!, $format: ExportFormat!, $columns: [EventColumn!]) {
    exportEvents(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`)

type Row = NonNullable<EventsQuery['events']>['edges'][number]['node']

const COLUMNS: readonly Column<Row>[] = [
  {
    label: eventWords.type,
    cell: (event) => (
      <>
        <Link to="/dev/eventos/$id" params={{ id: event.id }}>
          {event.type}
        </Link>
        {event.test && ` (${eventWords.test})`}
      </>
    ),
  },
  { label: eventWords.occurred, cell: (event) => <Time value={event.createdAt} /> },
  {
    label: eventWords.resource,
    cell: (event) => event.resourceId && <ResourceLink event={event.type} resourceId={event.resourceId} />,
  },
]

export function EventsPage() {
  const can = useCan()
  const catalogue = useQuery(eventsQuery)
  const filters: readonly FilterField[] = [
    {
      name: 'type',
      label: eventWords.type,
      kind: 'choice',
      options: catalogue.data?.map(({ event }) => ({ value: event, label: event })),
    },
    { name: 'createdFrom', label: eventWords.createdFrom, kind: 'date' },
    { name: 'createdTo', label: eventWords.createdTo, kind: 'date' },
    { name: 'resourceId', label: eventWords.resource, kind: 'text' },
  ]
  const controls: ListControls = {
    filters,
    placeholder: eventWords.search,
    orders: optionsOf(creationOrders),
  }
  const [search, onSearch] = useListSearch(controls)
  const order = (search.order ?? 'created_at_desc') as ByCreation
  const selection = { filter: filterOf(search, filters), order }
  const list = useConnection(['events', search], async (after, signal) => {
    const variables = { first: 25, after, ...selection }
    return present((await request(EVENTS, variables, { signal })).events)
  })
  return (
    <ListPage
      title={eventWords.title}
      search={search}
      onSearch={onSearch}
      {...controls}
      list={list}
      columns={COLUMNS}
      file={
        can('exportEvents') &&
        exportedFile(eventExportColumns, async (choice) =>
          present((await request(EXPORT, { ...selection, ...choice })).exportEvents),
        )
      }
      empty={{ title: eventWords.empty, lead: eventWords.emptyLead, docs: 'grupo-webhooks' }}
    />
  )
}
