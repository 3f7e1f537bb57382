import type { ChargeOrder } from '../api/gql/graphql'
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
import { LinkButton } from '../ui/LinkButton'
import { optionsOf } from '../ui/options'
import { chargeColumns } from './columns'
import { CHARGE_FILTERS } from './filters'
import { chargeExportColumns, chargeOrders, chargeStatuses, chargeWords } from './words'

const CHARGES = graphql(`
  query Charges($first: Int, $after: String, $filter: ChargeFilter, $order: ChargeOrder!) {
    charges(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      totalAmount
      pageInfo { endCursor hasNextPage }
      edges { node { id status underReview amount refundedAmount description customerName createdAt } }
    }
  }
`)

const EXPORT = graphql(`
  mutation ExportCharges($filter: ChargeFilter, $order: ChargeOrder!, $format: ExportFormat!, $columns: [ChargeColumn!]) {
    exportCharges(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`)

const CONTROLS: ListControls = {
  tabs: { name: 'status', label: chargeWords.status, options: optionsOf(chargeStatuses) },
  filters: CHARGE_FILTERS,
  placeholder: chargeWords.search,
  orders: optionsOf(chargeOrders),
}

export function ChargesPage() {
  const can = useCan()
  const [search, onSearch] = useListSearch(CONTROLS)
  const order = (search.order ?? 'created_at_desc') as ChargeOrder
  const selection = { filter: filterOf(search, CHARGE_FILTERS), order }
  const list = useConnection(['charges', search], async (after, signal) => {
    const variables = { first: 25, after, ...selection }
    return present((await request(CHARGES, variables, { signal })).charges)
  })
  const create = can('issueCharge') && <LinkButton to="/cobrancas/nova">{chargeWords.newCharge}</LinkButton>
  return (
    <ListPage
      title={chargeWords.title}
      action={create}
      search={search}
      onSearch={onSearch}
      {...CONTROLS}
      list={list}
      columns={chargeColumns}
      file={
        can('exportCharges') &&
        exportedFile(chargeExportColumns, async (choice) =>
          present((await request(EXPORT, { ...selection, ...choice })).exportCharges),
        )
      }
      empty={{ title: chargeWords.empty, lead: chargeWords.emptyLead, docs: 'grupo-cobranças-pix' }}
    />
  )
}
