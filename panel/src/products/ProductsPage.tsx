import { Link } from '@tanstack/react-router'
import type { ProductOrder, ProductsQuery } from '../api/gql/graphql'
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
import { Money } from '../ui/Money'
import { optionsOf } from '../ui/options'
import type { Column } from '../ui/Table'
import { PRODUCT_FILTERS } from './filters'
import { ProductStatus } from './ProductStatus'
import { productExportColumns, productOrders, productStatuses, productWords } from './words'

const PRODUCTS = graphql(`
  query Products($first: Int, $after: String, $filter: ProductFilter, $order: ProductOrder!) {
    products(first: $first, after: $after, filter: $filter, order: $order) {
      totalCount
      totalCapped
      pageInfo { endCursor hasNextPage }
      edges { node { id name price sku active } }
    }
  }
`)

const EXPORT = graphql(`
  mutation ExportProducts($filter: ProductFilter, $order: ProductOrder!, $format: ExportFormat!, $columns: [ProductColumn!]) {
    exportProducts(filter: $filter, order: $order, format: $format, columns: $columns) { url }
  }
`)

type Row = NonNullable<ProductsQuery['products']>['edges'][number]['node']

const COLUMNS: readonly Column<Row>[] = [
  {
    label: productWords.name,
    cell: (product) => (
      <Link to="/produtos/$id" params={{ id: product.id }}>
        {product.name}
      </Link>
    ),
  },
  { label: productWords.price, align: 'end', cell: (product) => <Money value={product.price} /> },
  { label: productWords.status, cell: (product) => <ProductStatus active={product.active} /> },
  { label: productWords.sku, cell: (product) => product.sku },
]

const CONTROLS: ListControls = {
  tabs: {
    name: 'status',
    label: productWords.status,
    all: listWords.allMasculine,
    options: optionsOf(productStatuses),
  },
  filters: PRODUCT_FILTERS,
  placeholder: productWords.search,
  orders: optionsOf(productOrders),
}

export function ProductsPage() {
  const can = useCan()
  const [search, onSearch] = useListSearch(CONTROLS)
  const order = (search.order ?? 'created_at_desc') as ProductOrder
  const selection = { filter: filterOf(search, PRODUCT_FILTERS), order }
  const list = useConnection(['products', search], async (after, signal) => {
    const variables = { first: 25, after, ...selection }
    return present((await request(PRODUCTS, variables, { signal })).products)
  })
  return (
    <ListPage
      title={productWords.title}
      action={can('createProduct') && <LinkButton to="/produtos/novo">{productWords.newProduct}</LinkButton>}
      search={search}
      onSearch={onSearch}
      {...CONTROLS}
      list={list}
      columns={COLUMNS}
      file={
        can('exportProducts') &&
        exportedFile(productExportColumns, async (choice) =>
          present((await request(EXPORT, { ...selection, ...choice })).exportProducts),
        )
      }
      empty={{ title: productWords.empty, lead: productWords.emptyLead, docs: 'grupo-produtos' }}
    />
  )
}
