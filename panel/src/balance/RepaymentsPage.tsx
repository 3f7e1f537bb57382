import { ask } from '../api/ask'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { useConnection } from '../api/useConnection'
import { ListPage } from '../list/ListPage'
import { filterOf } from '../list/search'
import { useListSearch } from '../list/useListSearch'
import { optionsOf } from '../ui/options'
import { BalanceNav } from './BalanceNav'
import { REPAYMENT_COLUMNS } from './columns'
import { REPAYMENT_FILTERS } from './filters'
import { balanceWords, repaymentStatuses, repaymentWords } from './words'

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

export function RepaymentsPage() {
  const [search, onSearch] = useListSearch()
  const list = useConnection(['balance', 'repayments', search], async (after, signal) => {
    const variables = { first: 25, after, filter: filterOf(search, REPAYMENT_FILTERS) }
    return present((await ask(REPAYMENTS, variables, { signal })).receivedRepayments)
  })
  return (
    <>
      <BalanceNav />
      <ListPage
        title={repaymentWords.title}
        search={search}
        onSearch={onSearch}
        tabs={{ name: 'status', label: repaymentWords.status, options: optionsOf(repaymentStatuses) }}
        filters={REPAYMENT_FILTERS}
        list={list}
        columns={REPAYMENT_COLUMNS}
        empty={{ title: balanceWords.noRepayments, children: <p>{balanceWords.noRepaymentsLead}</p> }}
      />
    </>
  )
}
