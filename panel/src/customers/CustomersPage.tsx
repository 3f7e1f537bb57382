import { Link } from '@tanstack/react-router'
import type { CustomerOrder, CustomersQuery } from '../api/gql/graphql'
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
import { maskDocument } from '../ui/format'
import { LinkButton } from '../ui/LinkButton'
import { optionsOf } from '../ui/options'
import type { Column } from '../ui/Table'
import { Time } from '../ui/Time'
import { CUSTOMER_FILTERS } from './filters'
import { customerExportColumns, customerOrders, customerWords } from './words'

const CUSTOMERS = graphql(`
  query Customers($first: Int, $after: String, $filter: CustomerFilter, $order: CustomerOrder!) {
    customers(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name email cpf createdAt } }
    }
  }
`)

const EXPORT = graphql(`
  mutation ExportCustomers($filter: CustomerFilter, $order: CustomerOrder!, $format: ExportFormat!, $columns: [CustomerColumn!]) {
    exportCustomers(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`)

type Row = NonNullable<CustomersQuery['customers']>['edges'][number]['node']

const COLUMNS: readonly Column<Row>[] = [
  {
    label: customerWords.name,
    cell: (customer) => (
      <Link to="/clientes/$id" params={{ id: customer.id }}>
        {customer.name}
      </Link>
    ),
  },
  { label: customerWords.document, cell: (customer) => customer.cpf && maskDocument(customer.cpf) },
  { label: customerWords.email, cell: (customer) => customer.email },
  { label: customerWords.created, cell: (customer) => <Time value={customer.createdAt} /> },
]

const CONTROLS: ListControls = {
  filters: CUSTOMER_FILTERS,
  placeholder: customerWords.search,
  orders: optionsOf(customerOrders),
}

export function CustomersPage() {
  const can = useCan()
  const [search, onSearch] = useListSearch(CONTROLS)
  const order = (search.order ?? 'created_at_desc') as CustomerOrder
  const selection = { filter: filterOf(search, CUSTOMER_FILTERS), order }
  const list = useConnection(['customers', search], async (after, signal) => {
    const variables = { first: 25, after, ...selection }
    return present((await request(CUSTOMERS, variables, { signal })).customers)
  })
  return (
    <ListPage
      title={customerWords.title}
      action={can('createCustomer') && <LinkButton to="/clientes/novo">{customerWords.newCustomer}</LinkButton>}
      search={search}
      onSearch={onSearch}
      {...CONTROLS}
      list={list}
      columns={COLUMNS}
      file={
        can('exportCustomers') &&
        exportedFile(customerExportColumns, async (choice) =>
          present((await request(EXPORT, { ...selection, ...choice })).exportCustomers),
        )
      }
      empty={{ title: customerWords.empty, lead: customerWords.emptyLead, docs: 'grupo-clientes' }}
    />
  )
}
