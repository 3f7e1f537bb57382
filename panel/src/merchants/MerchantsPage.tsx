import { Link } from '@tanstack/react-router'
import type { MerchantOrder, MerchantsQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useConnection } from '../api/useConnection'
import { useCan } from '../frame/queries'
import { exportedFile } from '../list/exportedFile'
import { filterOf } from '../list/filterOf'
import { ListPage } from '../list/ListPage'
import type { ListControls } from '../list/search'
import { useListSearch } from '../list/useListSearch'
import { ServiceNav } from '../service/ServiceNav'
import { StaffOnly } from '../service/StaffOnly'
import { optionsOf } from '../ui/options'
import { ProductionStatusLabel } from '../ui/ProductionStatusLabel'
import type { Column } from '../ui/Table'
import { Time } from '../ui/Time'
import { productionStatuses } from '../words/pt-BR'
import { MERCHANT_FILTERS } from './filters'
import { merchantExportColumns, merchantOrders, merchantWords } from './words'

const MERCHANTS = graphql(`
  query Merchants($first: Int, $after: String, $filter: MerchantFilter, $order: MerchantOrder!) {
    merchants(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name email company productionStatus productionRequestedAt } }
    }
  }
`)

type Row = NonNullable<MerchantsQuery['merchants']>['edges'][number]['node']

const COLUMNS: readonly Column<Row>[] = [
  {
    label: merchantWords.store,
    cell: (merchant) => (
      <Link to="/servico/lojistas/$id" params={{ id: merchant.id }}>
        {merchant.company ?? merchant.name}
      </Link>
    ),
  },
  {
    label: merchantWords.status,
    cell: (merchant) => <ProductionStatusLabel status={merchant.productionStatus} />,
  },
  { label: merchantWords.person, cell: (merchant) => merchant.name },
  {
    label: merchantWords.requested,
    cell: (merchant) => merchant.productionRequestedAt && <Time value={merchant.productionRequestedAt} />,
  },
]

const EXPORT = graphql(`
  mutation ExportMerchants($filter: MerchantFilter, $order: MerchantOrder!, $format: ExportFormat!, $columns: [MerchantColumn!]) {
    exportMerchants(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`)

/** The review queue: who waits longest comes first. */
export function MerchantsPage() {
  return (
    <StaffOnly>
      <ServiceNav />
      <Merchants />
    </StaffOnly>
  )
}

const CONTROLS: ListControls = {
  tabs: { name: 'status', label: merchantWords.status, options: optionsOf(productionStatuses) },
  filters: MERCHANT_FILTERS,
  placeholder: merchantWords.search,
  orders: optionsOf(merchantOrders),
}

function Merchants() {
  const can = useCan()
  const [search, onSearch] = useListSearch(CONTROLS)
  const order = (search.order ?? 'queue') as MerchantOrder
  const selection = { filter: filterOf(search, MERCHANT_FILTERS), order }
  const list = useConnection(['merchants', search], async (after, signal) => {
    const variables = { first: 25, after, ...selection }
    return present((await request(MERCHANTS, variables, { signal })).merchants)
  })
  return (
    <ListPage
      title={merchantWords.title}
      search={search}
      onSearch={onSearch}
      {...CONTROLS}
      list={list}
      columns={COLUMNS}
      file={
        can('exportMerchants') &&
        exportedFile(merchantExportColumns, async (choice) =>
          present((await request(EXPORT, { ...selection, ...choice })).exportMerchants),
        )
      }
      empty={{ title: merchantWords.empty }}
    />
  )
}
