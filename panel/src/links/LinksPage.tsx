import type { PaymentLinkOrder } from '../api/gql/graphql'
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
import { listWords } from '../list/words'
import { LinkButton } from '../ui/LinkButton'
import { optionsOf } from '../ui/options'
import { linkColumns } from './columns'
import { LINK_FILTERS } from './filters'
import { linkExportColumns, linkOrders, linkStatuses, linkWords } from './words'

const LINKS = graphql(`
  query PaymentLinks($first: Int, $after: String, $filter: PaymentLinkFilter, $order: PaymentLinkOrder!) {
    paymentLinks(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges {
        node { id title amount active expiresAt maxUses usesCount unpayableReason product { name price } }
      }
    }
  }
`)

const EXPORT = graphql(`
  mutation ExportPaymentLinks($filter: PaymentLinkFilter, $order: PaymentLinkOrder!, $format: ExportFormat!, $columns: [PaymentLinkColumn!]) {
    exportPaymentLinks(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`)

const CONTROLS: ListControls = {
  tabs: {
    name: 'status',
    label: linkWords.status,
    all: listWords.allMasculine,
    options: optionsOf(linkStatuses),
  },
  filters: LINK_FILTERS,
  placeholder: linkWords.search,
  orders: optionsOf(linkOrders),
}

export function LinksPage() {
  const can = useCan()
  const [search, onSearch] = useListSearch(CONTROLS)
  const order = (search.order ?? 'created_at_desc') as PaymentLinkOrder
  const selection = { filter: filterOf(search, LINK_FILTERS), order }
  const list = useConnection(['links', search], async (after, signal) => {
    const variables = { first: 25, after, ...selection }
    return present((await request(LINKS, variables, { signal })).paymentLinks)
  })
  return (
    <ListPage
      title={linkWords.title}
      action={can('createPaymentLink') && <LinkButton to="/links/novo">{linkWords.newLink}</LinkButton>}
      search={search}
      onSearch={onSearch}
      {...CONTROLS}
      list={list}
      columns={linkColumns}
      file={
        can('exportPaymentLinks') &&
        exportedFile(linkExportColumns, async (choice) =>
          present((await request(EXPORT, { ...selection, ...choice })).exportPaymentLinks),
        )
      }
      empty={{ title: linkWords.empty, lead: linkWords.emptyLead, docs: 'grupo-links-de-pagamento' }}
    />
  )
}
