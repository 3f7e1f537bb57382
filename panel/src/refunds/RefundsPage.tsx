import { Link } from '@tanstack/react-router'
import type { RefundOrder, RefundsQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useConnection } from '../api/useConnection'
import { BalanceNav } from '../balance/BalanceNav'
import { useCan } from '../frame/queries'
import { exportedFile } from '../list/exportedFile'
import { filterOf } from '../list/filterOf'
import { ListPage } from '../list/ListPage'
import type { ListControls } from '../list/search'
import { useListSearch } from '../list/useListSearch'
import { Money } from '../ui/Money'
import { optionsOf } from '../ui/options'
import type { Column } from '../ui/Table'
import { Time } from '../ui/Time'
import { REFUND_FILTERS } from './filters'
import { RefundStatus } from './RefundStatus'
import { refundExportColumns, refundOrders, refundStatuses, refundWords } from './words'

const REFUNDS = graphql(`
  query Refunds($first: Int, $after: String, $filter: RefundFilter, $order: RefundOrder!) {
    refunds(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status amount chargeId createdAt charge { customerName description } } }
    }
  }
`)

const EXPORT = graphql(`
  mutation ExportRefunds($filter: RefundFilter, $order: RefundOrder!, $format: ExportFormat!, $columns: [RefundColumn!]) {
    exportRefunds(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`)

type Row = NonNullable<RefundsQuery['refunds']>['edges'][number]['node']

const COLUMNS: readonly Column<Row>[] = [
  {
    label: refundWords.charge,
    cell: ({ chargeId, charge }) => (
      <Link to="/cobrancas/$id" params={{ id: chargeId }}>
        {charge?.customerName ?? charge?.description ?? refundWords.charge}
      </Link>
    ),
  },
  { label: refundWords.amount, align: 'end', cell: (refund) => <Money value={refund.amount} /> },
  { label: refundWords.status, cell: (refund) => <RefundStatus status={refund.status} /> },
  { label: refundWords.created, cell: (refund) => <Time value={refund.createdAt} /> },
]

const CONTROLS: ListControls = {
  tabs: { name: 'status', label: refundWords.status, options: optionsOf(refundStatuses) },
  filters: REFUND_FILTERS,
  placeholder: refundWords.search,
  orders: optionsOf(refundOrders),
}

/** The money that went back to payers. A row leads to its charge, whose timeline has the refund. */
export function RefundsPage() {
  const can = useCan()
  const [search, onSearch] = useListSearch(CONTROLS)
  const order = (search.order ?? 'created_at_desc') as RefundOrder
  const selection = { filter: filterOf(search, REFUND_FILTERS), order }
  const list = useConnection(['balance', 'refunds', search], async (after, signal) => {
    const variables = { first: 25, after, ...selection }
    return present((await request(REFUNDS, variables, { signal })).refunds)
  })
  return (
    <>
      <BalanceNav />
      <ListPage
        title={refundWords.title}
        search={search}
        onSearch={onSearch}
        {...CONTROLS}
        list={list}
        columns={COLUMNS}
        file={
          can('exportRefunds') &&
          exportedFile(refundExportColumns, async (choice) =>
            present((await request(EXPORT, { ...selection, ...choice })).exportRefunds),
          )
        }
        empty={{ title: refundWords.empty, lead: refundWords.emptyLead, docs: 'grupo-devoluções' }}
      />
    </>
  )
}
