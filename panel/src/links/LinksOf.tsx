import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { listWords } from '../list/words'
import { TableCard } from '../ui/TableCard'
import { linkColumns } from './columns'
import { linkWords } from './words'

const LINKS_OF = graphql(`
  query PaymentLinksOf($filter: PaymentLinkFilter!) {
    paymentLinks(first: 5, filter: $filter, order: created_at_desc) {
      edges {
        node { id title amount active expiresAt maxUses usesCount unpayableReason product { name price } }
      }
    }
  }
`)

/** The last links of a product or a coupon, and the way to all of them. */
export function LinksOf({ parent, id }: { parent: 'productId' | 'couponId'; id: string }) {
  const can = useCan()
  const filter = { [parent]: id }
  const links = useQuery({
    queryKey: ['links', 'of', filter],
    queryFn: async ({ signal }) => present((await request(LINKS_OF, { filter }, { signal })).paymentLinks),
    enabled: can('paymentLinks'),
  })
  if (!can('paymentLinks')) return null
  return (
    <TableCard
      title={linkWords.title}
      all={
        <Link to="/links" search={filter}>
          {listWords.seeAllMasculine}
        </Link>
      }
      pending={links.isPending}
      error={links.error}
      onRetry={links.refetch}
      empty={<p>{linkWords.empty}.</p>}
      columns={linkColumns}
      rows={links.data?.edges.map((edge) => edge.node) ?? []}
    />
  )
}
