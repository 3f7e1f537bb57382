import { Link } from '@tanstack/react-router'
import type { ApiKeyOrder, ApiKeysQuery } from '../api/gql/graphql'
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
import { Time } from '../ui/Time'
import { environments } from '../words/pt-BR'
import { KeyStatus } from './KeyStatus'
import { keyExportColumns, keyOrders, keyStatuses, keyWords } from './words'

const KEYS = graphql(`
  query ApiKeys($first: Int, $after: String, $filter: ApiKeyFilter, $order: ApiKeyOrder!) {
    apiKeys(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name prefix environment active expiresAt lastUsedAt } }
    }
  }
`)

const EXPORT = graphql(`
  mutation ExportApiKeys($filter: ApiKeyFilter, $order: ApiKeyOrder!, $format: ExportFormat!, $columns: [ApiKeyColumn!]) {
    exportApiKeys(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`)

type Row = NonNullable<ApiKeysQuery['apiKeys']>['edges'][number]['node']

const FILTERS: readonly FilterField[] = [
  { name: 'environment', label: keyWords.environment, kind: 'choice', options: optionsOf(environments) },
  { name: 'createdFrom', label: keyWords.createdFrom, kind: 'date' },
  { name: 'createdTo', label: keyWords.createdTo, kind: 'date' },
]

const COLUMNS: readonly Column<Row>[] = [
  {
    label: keyWords.name,
    cell: (key) => (
      <Link to="/dev/chaves/$id" params={{ id: key.id }}>
        {key.name}
      </Link>
    ),
  },
  { label: keyWords.status, cell: (key) => <KeyStatus {...key} /> },
  { label: keyWords.prefix, cell: (key) => <code>{key.prefix}…</code> },
  { label: keyWords.environment, cell: (key) => environments[key.environment] },
  { label: keyWords.lastUsed, cell: (key) => (key.lastUsedAt ? <Time value={key.lastUsedAt} /> : keyWords.neverUsed) },
]

const CONTROLS: ListControls = {
  tabs: { name: 'status', label: keyWords.status, options: optionsOf(keyStatuses) },
  filters: FILTERS,
  placeholder: keyWords.search,
  orders: optionsOf(keyOrders),
}

export function KeysPage() {
  const can = useCan()
  const [search, onSearch] = useListSearch(CONTROLS)
  const order = (search.order ?? 'created_at_desc') as ApiKeyOrder
  const selection = { filter: filterOf(search, FILTERS), order }
  const list = useConnection(['api keys', search], async (after, signal) => {
    const variables = { first: 25, after, ...selection }
    return present((await request(KEYS, variables, { signal })).apiKeys)
  })
  return (
    <ListPage
      title={keyWords.title}
      action={can('createApiKey') && <LinkButton to="/dev/chaves/nova">{keyWords.newKey}</LinkButton>}
      search={search}
      onSearch={onSearch}
      {...CONTROLS}
      list={list}
      columns={COLUMNS}
      file={
        can('exportApiKeys') &&
        exportedFile(keyExportColumns, async (choice) =>
          present((await request(EXPORT, { ...selection, ...choice })).exportApiKeys),
        )
      }
      empty={{ title: keyWords.empty, lead: keyWords.emptyLead, docs: 'grupo-chaves-de-api' }}
    />
  )
}
