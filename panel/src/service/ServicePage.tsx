import { queryOptions, useQuery } from '@tanstack/react-query'
import { graphql } from '../api/graphql'
import { requestPartial } from '../api/request'
import { Card } from '../ui/Card'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Facts } from '../ui/Facts'
import { formatTotal } from '../ui/format'
import { Heading } from '../ui/Heading'
import { LinkButton } from '../ui/LinkButton'
import { Skeleton } from '../ui/Skeleton'
import { Time } from '../ui/Time'
import { ServiceNav } from './ServiceNav'
import { StaffOnly } from './StaffOnly'
import { serviceWords } from './words'

const FIGURES_MILLISECONDS = 30_000

const FIGURES = graphql(`
  query ServiceFigures {
    queue: merchants(first: 1, filter: { status: pending }) {
      totalCount totalCapped edges { node { id productionRequestedAt } }
    }
    ordered: storeWithdrawals(first: 0, filter: { status: pending }) { totalCount totalCapped }
    processing: storeWithdrawals(first: 0, filter: { status: processing }) { totalCount totalCapped }
    repayments(first: 0, filter: { status: recorded }) { totalCount totalCapped }
    differences(first: 0, filter: { status: open }) { totalCount totalCapped }
  }
`)

const figuresQuery = queryOptions({
  queryKey: ['service', 'figures'],
  queryFn: ({ signal }) => requestPartial(FIGURES, {}, { signal }),
  refetchInterval: FIGURES_MILLISECONDS,
})

type Total = { totalCount: number; totalCapped: boolean }

/** What waits for the staff. */
export function ServicePage() {
  return (
    <StaffOnly>
      <ServiceNav />
      <Heading title={serviceWords.title} />
      <Figures />
    </StaffOnly>
  )
}

function Figures() {
  const figures = useQuery(figuresQuery)
  if (figures.isPending) return <Skeleton lines={4} />
  if (figures.error) return <ErrorNotice error={figures.error} onRetry={figures.refetch} />
  const { data, errors } = figures.data
  const [error] = Object.values(errors)
  const oldest = data.queue?.edges[0]?.node.productionRequestedAt
  return (
    <>
      {error && <ErrorNotice error={error} onRetry={figures.refetch} />}
      {data.queue && (
        <Card title={serviceWords.pending}>
          {data.queue.totalCount === 0 && <p>{serviceWords.nothing}</p>}
          <Facts
            facts={[
              { term: serviceWords.pending, value: total(data.queue) },
              { term: serviceWords.oldest, value: oldest && <Time value={oldest} /> },
            ]}
          />
          <div>
            <LinkButton to="/servico/lojistas" search={{ status: 'pending' }}>
              {serviceWords.openQueue}
            </LinkButton>
          </div>
        </Card>
      )}
      {data.ordered && data.processing && (
        <Card title={serviceWords.lead}>
          <Facts
            facts={[
              {
                term: serviceWords.withdrawals,
                value: total({
                  totalCount: data.ordered.totalCount + data.processing.totalCount,
                  totalCapped: data.ordered.totalCapped || data.processing.totalCapped,
                }),
              },
              { term: serviceWords.repayments, value: data.repayments && total(data.repayments) },
              { term: serviceWords.differences, value: data.differences && total(data.differences) },
            ]}
          />
        </Card>
      )}
    </>
  )
}

const total = ({ totalCount, totalCapped }: Total) => formatTotal(totalCount, totalCapped)
