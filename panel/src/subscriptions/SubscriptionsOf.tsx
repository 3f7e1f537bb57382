import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { listWords } from '../list/words'
import { Card } from '../ui/Card'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Table } from '../ui/Table'
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
    <Card
      title={subscriptionWords.title}
      actions={
        <Link to="/assinaturas" search={{ customerId }}>
          {listWords.seeAll}
        </Link>
      }
    >
      {subscriptions.error && <ErrorNotice error={subscriptions.error} onRetry={subscriptions.refetch} />}
      {rows.length > 0 && <Table caption={subscriptionWords.title} columns={subscriptionColumns} rows={rows} />}
    </Card>
  )
}
