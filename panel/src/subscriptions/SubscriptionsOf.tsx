import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { listWords } from '../list/words'
import { TableCard } from '../ui/TableCard'
import { subscriptionColumns } from './columns'
import { subscriptionWords } from './words'

const SUBSCRIPTIONS_OF = graphql(`
  query SubscriptionsOf($customerId: ID!) {
    subscriptions(first: 5, filter: { customerId: $customerId }, order: created_at_desc) {
      edges { node { id customerName amount interval intervalCount status lastFailure nextBillingAt } }
    }
  }
`)

/** The last subscriptions of a customer; nothing of one without any. */
export function SubscriptionsOf({ customerId }: { customerId: string }) {
  const can = useCan()
  const subscriptions = useQuery({
    queryKey: ['subscriptions', 'of', customerId],
    queryFn: async ({ signal }) => present((await request(SUBSCRIPTIONS_OF, { customerId }, { signal })).subscriptions),
    enabled: can('subscriptions'),
  })
  const rows = subscriptions.data?.edges.map((edge) => edge.node) ?? []
  if (rows.length === 0 && !subscriptions.error) return null
  return (
    <TableCard
      title={subscriptionWords.title}
      all={
        <Link to="/assinaturas" search={{ customerId }}>
          {listWords.seeAll}
        </Link>
      }
      error={subscriptions.error}
      onRetry={subscriptions.refetch}
      empty={null}
      columns={subscriptionColumns}
      rows={rows}
    />
  )
}
