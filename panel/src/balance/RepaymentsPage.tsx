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
import { optionsOf } from '../ui/options'
import { BalanceNav } from './BalanceNav'
import { REPAYMENT_COLUMNS } from './columns'
import { REPAYMENT_FILTERS } from './filters'
import { balanceWords, repaymentExportColumns, repaymentStatuses, repaymentWords } from './words'

const REPAYMENTS = graphql(`
  query ReceivedRepayments($first: Int, $after: String, $filter: ReceivedRepaymentFilter) {
    receivedRepayments(first: $first, after: $after, filter: $filter) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status netAmount chargesCount paidFrom paidTo } }
    }
  }
`)

const EXPORT = graphql(`
  mutation ExportReceivedRepayments($filter: ReceivedRepaymentFilter, $format: ExportFormat!, $columns: [ReceivedRepaymentColumn!]) {
    exportReceivedRepayments(filter: $filter, format: $format, columns: $columns) { url }
  }
`)

const CONTROLS: ListControls = {
  tabs: { name: 'status', label: repaymentWords.status, options: optionsOf(repaymentStatuses) },
  filters: REPAYMENT_FILTERS,
}

export function RepaymentsPage() {
  const can = useCan()
  const [search, onSearch] = useListSearch(CONTROLS)
  const selection = { filter: filterOf(search, REPAYMENT_FILTERS) }
  const list = useConnection(['balance', 'repayments', search], async (after, signal) => {
    const variables = { first: 25, after, ...selection }
    return present((await request(REPAYMENTS, variables, { signal })).receivedRepayments)
  })
  return (
    <>
      <BalanceNav />
      <ListPage
        title={repaymentWords.title}
        search={search}
        onSearch={onSearch}
        {...CONTROLS}
        list={list}
        columns={REPAYMENT_COLUMNS}
        file={
          can('exportReceivedRepayments') &&
          exportedFile(repaymentExportColumns, async (choice) =>
            present((await request(EXPORT, { ...selection, ...choice })).exportReceivedRepayments),
          )
        }
        empty={{
          title: balanceWords.noRepayments,
          lead: balanceWords.noRepaymentsLead,
          docs: 'grupo-repasses-manuais',
        }}
      />
    </>
  )
}
