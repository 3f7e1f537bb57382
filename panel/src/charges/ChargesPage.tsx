import { Link } from '@tanstack/react-router'
import { ask } from '../api/ask'
import { graphql } from '../api/gql'
import type { ChargeOrder, ChargesQuery } from '../api/gql/graphql'
import { present } from '../api/present'
import { useConnection } from '../api/useConnection'
import { useCan } from '../frame/queries'
import { ListPage } from '../list/ListPage'
import { filterOf } from '../list/search'
import { useListSearch } from '../list/useListSearch'
import { LinkButton } from '../ui/LinkButton'
import { Money } from '../ui/Money'
import { optionsOf } from '../ui/options'
import type { Column } from '../ui/Table'
import { Time } from '../ui/Time'
import { ChargeStatus } from './ChargeStatus'
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

type Row = NonNullable<ChargesQuery['charges']>['edges'][number]['node']

const COLUMNS: readonly Column<Row>[] = [
  {
    label: chargeWords.payer,
    cell: (charge) => (
      <Link to="/cobrancas/$id" params={{ id: charge.id }}>
        {charge.customerName ?? charge.description ?? chargeWords.noPayer}
      </Link>
    ),
  },
  { label: chargeWords.amount, align: 'end', cell: (charge) => <Money value={charge.amount} /> },
  { label: chargeWords.status, cell: (charge) => <ChargeStatus {...charge} /> },
  { label: chargeWords.created, cell: (charge) => <Time value={charge.createdAt} /> },
]

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
      columns={COLUMNS}
      empty={{ title: chargeWords.empty, children: <p>{chargeWords.emptyLead}</p> }}
    />
  )
}
