import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { listWords } from '../list/words'
import { Card } from '../ui/Card'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Skeleton } from '../ui/Skeleton'
import { Table } from '../ui/Table'
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
  const rows = links.data?.edges.map((edge) => edge.node) ?? []
  return (
    <Card
      title={linkWords.title}
      actions={
        rows.length > 0 && (
          <Link to="/links" search={filter}>
            {listWords.seeAllMasculine}
          </Link>
        )
      }
    >
      {links.isPending && <Skeleton />}
      {links.error && <ErrorNotice error={links.error} onRetry={links.refetch} />}
      {links.data && rows.length === 0 && <p>{linkWords.empty}.</p>}
      {rows.length > 0 && <Table caption={linkWords.title} columns={linkColumns} rows={rows} />}
    </Card>
  )
}
