import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { Card } from '../ui/Card'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Facts } from '../ui/Facts'
import { formatInteger } from '../ui/format'
import { Money } from '../ui/Money'
import { subscriptionWords } from './words'

const FIGURES = graphql(`
  query SubscriptionFigures { subscriptionFigures { activeCount monthlyAmount failingCount next30DaysAmount } }
`)

/** What all subscriptions of the store sum up to; nothing of a store without any. */
export function SubscriptionFigures() {
  const { data, error, refetch } = useQuery({
    queryKey: ['subscriptions', 'figures'],
    queryFn: async ({ signal }) => present((await request(FIGURES, {}, { signal })).subscriptionFigures),
  })
  if (error) return <ErrorNotice error={error} onRetry={refetch} />
  if (!data || data.activeCount === 0) return null
  return (
    <Card title={subscriptionWords.figures}>
      <Facts
        facts={[
          { term: subscriptionWords.activeCount, value: formatInteger(data.activeCount) },
          { term: subscriptionWords.monthlyAmount, value: <Money value={data.monthlyAmount} /> },
          { term: subscriptionWords.next30Days, value: <Money value={data.next30DaysAmount} /> },
          {
            term: subscriptionWords.failingCount,
            value: data.failingCount > 0 && (
              <Link to="/assinaturas" search={{ failing: '1' }}>
                {formatInteger(data.failingCount)}
              </Link>
            ),
          },
        ]}
      />
    </Card>
  )
}
