import type { WithdrawalOrder } from '../api/gql/graphql'
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
import { BalanceNav } from './BalanceNav'
import { WITHDRAWAL_COLUMNS } from './columns'
import { WITHDRAWAL_FILTERS } from './filters'
import { balanceWords, withdrawalExportColumns, withdrawalOrders, withdrawalStatuses, withdrawalWords } from './words'

const WITHDRAWALS = graphql(`
  query Withdrawals($first: Int, $after: String, $filter: WithdrawalFilter, $order: WithdrawalOrder!) {
    withdrawals(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status amount pixKey pixKeyType createdAt } }
    }
  }
`)

const EXPORT = graphql(`
  mutation ExportWithdrawals($filter: WithdrawalFilter, $order: WithdrawalOrder!, $format: ExportFormat!, $columns: [WithdrawalColumn!]) {
    exportWithdrawals(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`)
// `canceled` is an answer that no withdrawal has today.
const { canceled: _, ...TABS } = withdrawalStatuses

const CONTROLS: ListControls = {
  tabs: { name: 'status', label: withdrawalWords.status, options: optionsOf(TABS) },
  filters: WITHDRAWAL_FILTERS,
  placeholder: withdrawalWords.search,
  orders: optionsOf(withdrawalOrders),
}

export function WithdrawalsPage() {
  const can = useCan()
  const [search, onSearch] = useListSearch(CONTROLS)
  const order = (search.order ?? 'created_at_desc') as WithdrawalOrder
  const selection = { filter: filterOf(search, WITHDRAWAL_FILTERS), order }
  const list = useConnection(['balance', 'withdrawals', search], async (after, signal) => {
    const variables = { first: 25, after, ...selection }
    return present((await request(WITHDRAWALS, variables, { signal })).withdrawals)
  })
  return (
    <>
      <BalanceNav />
      <ListPage
        title={withdrawalWords.title}
        action={can('requestWithdrawal') && <LinkButton to="/saldo/sacar">{withdrawalWords.new}</LinkButton>}
        search={search}
        onSearch={onSearch}
        {...CONTROLS}
        list={list}
        columns={WITHDRAWAL_COLUMNS}
        file={
          can('exportWithdrawals') &&
          exportedFile(withdrawalExportColumns, async (choice) =>
            present((await request(EXPORT, { ...selection, ...choice })).exportWithdrawals),
          )
        }
        empty={{ title: balanceWords.noWithdrawals, lead: balanceWords.noWithdrawalsLead, docs: 'grupo-saques' }}
      />
    </>
  )
}
