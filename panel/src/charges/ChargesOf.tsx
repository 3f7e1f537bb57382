import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { listWords } from '../list/words'
import { formatTotal } from '../ui/format'
import { TableCard } from '../ui/TableCard'
import { chargeColumns } from './columns'
import { chargeWords } from './words'

const CHARGES_OF = graphql(`
  query ChargesOf($filter: ChargeFilter!) {
    charges(first: 5, filter: $filter, order: created_at_desc) {
      totalCount
      totalCapped
      edges { node { id status underReview amount refundedAmount description customerName createdAt } }
    }
  }
`)

type Parent = 'customerId' | 'productId' | 'couponId' | 'subscriptionId' | 'paymentLinkId'

/** The last charges of a customer, a link and the like, and the way to all of them. */
export function ChargesOf({ parent, id }: { parent: Parent; id: string }) {
  const can = useCan()
  const filter = { [parent]: id }
  const charges = useQuery({
    queryKey: ['charges', 'of', filter],
    queryFn: async ({ signal }) => present((await request(CHARGES_OF, { filter }, { signal })).charges),
    enabled: can('charges'),
  })
  if (!can('charges')) return null
  const { data, isPending, error, refetch } = charges
  return (
    <TableCard
      title={chargeWords.title}
      all={
        <Link to="/cobrancas" search={filter}>
          {listWords.seeAll}
        </Link>
      }
      pending={isPending}
      error={error}
      onRetry={refetch}
      empty={<p>{chargeWords.empty}.</p>}
      summary={data && <p>{listWords.total(formatTotal(data.totalCount, data.totalCapped))}</p>}
      columns={chargeColumns}
      rows={data?.edges.map((edge) => edge.node) ?? []}
    />
  )
}
