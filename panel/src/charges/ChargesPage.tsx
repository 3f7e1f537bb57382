import { ask } from '../api/ask'
import type { ChargeOrder } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { useConnection } from '../api/useConnection'
import { useCan } from '../frame/queries'
import { ListPage } from '../list/ListPage'
import { filterOf } from '../list/search'
import { useListSearch } from '../list/useListSearch'
import { LinkButton } from '../ui/LinkButton'
import { optionsOf } from '../ui/options'
import { chargeColumns } from './columns'
import { CHARGE_FILTERS } from './filters'
import { chargeOrders, chargeStatuses, chargeWords } from './words'

const CHARGES = graphql(`
  query Charges($first: Int, $after: String, $filter: ChargeFilter, $order: ChargeOrder!) {
    charges(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id status underReview amount description customerName createdAt } }
    }
  }
`)

export function ChargesPage() {
  const can = useCan()
  const [search, onSearch] = useListSearch()
  const list = useConnection(['charges', search], async (after, signal) => {
    const order = (search.order ?? 'created_at_desc') as ChargeOrder
    const variables = { first: 25, after, filter: filterOf(search, CHARGE_FILTERS), order }
    return present((await ask(CHARGES, variables, { signal })).charges)
  })
  const create = can('issueCharge') && <LinkButton to="/cobrancas/nova">{chargeWords.newCharge}</LinkButton>
  return (
    <ListPage
      title={chargeWords.title}
      action={create}
      search={search}
      onSearch={onSearch}
      tabs={{ name: 'status', label: chargeWords.status, options: optionsOf(chargeStatuses) }}
      filters={CHARGE_FILTERS}
      placeholder={chargeWords.search}
      orders={optionsOf(chargeOrders)}
      list={list}
      columns={chargeColumns}
      empty={{ title: chargeWords.empty, children: <p>{chargeWords.emptyLead}</p> }}
    />
  )
}
