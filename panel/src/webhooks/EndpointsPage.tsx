import { Link } from '@tanstack/react-router'
import type { ByCreation, WebhookEndpointsQuery } from '../api/gql/graphql'
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
import { LinkButton } from '../ui/LinkButton'
import { optionsOf } from '../ui/options'
import type { Column } from '../ui/Table'
import { EndpointAddress } from './EndpointAddress'
import { EndpointHealth } from './EndpointHealth'
import { EndpointStatus } from './EndpointStatus'
import { creationOrders, endpointExportColumns, endpointStatuses, webhookWords } from './words'

const ENDPOINTS = graphql(`
  query WebhookEndpoints($first: Int, $after: String, $filter: WebhookEndpointFilter, $order: ByCreation!) {
    webhookEndpoints(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges {
        node {
          id name url active disabledReason
          health { lastSuccessAt lastAttemptAt firstFailureAt consecutiveFailures }
        }
      }
    }
  }
`)

const EXPORT = graphql(`
  mutation ExportWebhookEndpoints(
    $filter: WebhookEndpointFilter, $order: ByCreation!, $format: ExportFormat!, $columns: [WebhookEndpointColumn!]
  ) {
    exportWebhookEndpoints(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`)

type Row = NonNullable<WebhookEndpointsQuery['webhookEndpoints']>['edges'][number]['node']

const FILTERS: readonly FilterField[] = [
  { name: 'createdFrom', label: webhookWords.createdFrom, kind: 'date' },
  { name: 'createdTo', label: webhookWords.createdTo, kind: 'date' },
]

const COLUMNS: readonly Column<Row>[] = [
  {
    label: webhookWords.name,
    cell: (endpoint) => (
      <Link to="/dev/webhooks/$id" params={{ id: endpoint.id }} search={{}}>
        {endpoint.name}
      </Link>
    ),
  },
  { label: webhookWords.status, cell: (endpoint) => <EndpointStatus {...endpoint} /> },
  { label: webhookWords.url, cell: (endpoint) => <EndpointAddress {...endpoint} /> },
  { label: webhookWords.health, cell: (endpoint) => <EndpointHealth health={endpoint.health} /> },
]

const CONTROLS: ListControls = {
  tabs: {
    name: 'status',
    label: webhookWords.status,
    all: webhookWords.all,
    options: optionsOf(endpointStatuses),
  },
  filters: FILTERS,
  placeholder: webhookWords.search,
  orders: optionsOf(creationOrders),
}

export function EndpointsPage() {
  const can = useCan()
  const [search, onSearch] = useListSearch(CONTROLS)
  const order = (search.order ?? 'created_at_desc') as ByCreation
  const selection = { filter: filterOf(search, FILTERS), order }
  const list = useConnection(['webhooks', 'all', search], async (after, signal) => {
    const variables = { first: 25, after, ...selection }
    return present((await request(ENDPOINTS, variables, { signal })).webhookEndpoints)
  })
  return (
    <ListPage
      title={webhookWords.title}
      action={
        can('createWebhookEndpoint') && <LinkButton to="/dev/webhooks/novo">{webhookWords.newEndpoint}</LinkButton>
      }
      search={search}
      onSearch={onSearch}
      {...CONTROLS}
      list={list}
      columns={COLUMNS}
      file={
        can('exportWebhookEndpoints') &&
        exportedFile(endpointExportColumns, async (choice) =>
          present((await request(EXPORT, { ...selection, ...choice })).exportWebhookEndpoints),
        )
      }
      empty={{ title: webhookWords.empty, lead: webhookWords.emptyLead, docs: 'grupo-webhooks' }}
    />
  )
}
