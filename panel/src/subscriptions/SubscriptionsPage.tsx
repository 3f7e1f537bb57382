import type { SubscriptionOrder } from '../api/gql/graphql'
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
import { subscriptionColumns } from './columns'
import { SUBSCRIPTION_FILTERS } from './filters'
import { SubscriptionFigures } from './SubscriptionFigures'
import { subscriptionExportColumns, subscriptionOrders, subscriptionTabs, subscriptionWords } from './words'

const SUBSCRIPTIONS = graphql(`
  query Subscriptions($first: Int, $after: String, $filter: SubscriptionContractFilter, $order: SubscriptionOrder!) {
    subscriptions(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id customerName amount interval intervalCount status lastFailure nextBillingAt } }
    }
  }
`)

const EXPORT = graphql(`
  mutation ExportSubscriptions($filter: SubscriptionContractFilter, $order: SubscriptionOrder!, $format: ExportFormat!, $columns: [SubscriptionColumn!]) {
    exportSubscriptions(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`)

const CONTROLS: ListControls = {
  tabs: { name: 'status', label: subscriptionWords.status, options: optionsOf(subscriptionTabs) },
  filters: SUBSCRIPTION_FILTERS,
  placeholder: subscriptionWords.search,
  orders: optionsOf(subscriptionOrders),
}

export function SubscriptionsPage() {
  const can = useCan()
  const [search, onSearch] = useListSearch(CONTROLS)
  const order = (search.order ?? 'created_at_desc') as SubscriptionOrder
  const selection = { filter: filterOf(search, SUBSCRIPTION_FILTERS), order }
  const list = useConnection(['subscriptions', search], async (after, signal) => {
    const variables = { first: 25, after, ...selection }
    return present((await request(SUBSCRIPTIONS, variables, { signal })).subscriptions)
  })
  return (
    <ListPage
      title={subscriptionWords.title}
      action={
        can('createSubscription') && <LinkButton to="/assinaturas/nova">{subscriptionWords.newSubscription}</LinkButton>
      }
      summary={can('subscriptionFigures') && <SubscriptionFigures />}
      search={search}
      onSearch={onSearch}
      {...CONTROLS}
      list={list}
      columns={subscriptionColumns}
      file={
        can('exportSubscriptions') &&
        exportedFile(subscriptionExportColumns, async (choice) =>
          present((await request(EXPORT, { ...selection, ...choice })).exportSubscriptions),
        )
      }
      empty={{ title: subscriptionWords.empty, lead: subscriptionWords.emptyLead, docs: 'grupo-assinaturas' }}
    />
  )
}
