import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { ProductQuery, ProductStatus } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { formatMoney } from '../ui/format'
import type { Pick, PickSource } from '../ui/PickField'

const PRODUCT = graphql(`
  query Product($id: ID!) {
    product(id: $id) {
      id name description price sku imageUrl active externalReference createdAt updatedAt paidCount paidAmount
      lastPaidAt
    }
  }
`)

export type Product = NonNullable<ProductQuery['product']>

export const productQuery = (id: string) =>
  queryOptions({
    queryKey: ['products', 'one', id],
    queryFn: async ({ signal }) => present((await request(PRODUCT, { id }, { signal })).product),
  })

/** Reads again what a product changes: the products, and the links that sell them. */
export const refreshProducts = (cache: QueryClient) =>
  Promise.all([cache.invalidateQueries({ queryKey: ['products'] }), cache.invalidateQueries({ queryKey: ['links'] })])

export const UPDATE_PRODUCT = graphql(`
  mutation UpdateProduct($input: UpdateProductInput!) { updateProduct(input: $input) { id } }
`)

const FIND = graphql(`
  query FindProducts($q: String, $status: ProductStatus) {
    products(first: 20, filter: { q: $q, status: $status }, order: name_asc) { edges { node { id name description price } } }
  }
`)

/** A product to pick, with what a preview shows of it. */
export type ProductPick = Pick & { price: number; description?: string | null }

export const productPick = ({ id, name, price, description = null }: ProductToPick): ProductPick => ({
  value: id,
  label: name,
  detail: formatMoney(price),
  price,
  description,
})

type ProductToPick = { id: string; name: string; price: number; description?: string | null }

/** The active products that have these words. */
export const findProducts = (q: string, signal: AbortSignal): Promise<ProductPick[]> => find(q, 'active', signal)

/** All products, for a filter. */
export const productSource: PickSource = {
  of: 'all products',
  find: (q, signal) => find(q, null, signal),
  read: async (id, signal) => productPick(present((await request(PRODUCT, { id }, { signal })).product)),
}

async function find(q: string, status: ProductStatus | null, signal: AbortSignal): Promise<ProductPick[]> {
  const { products } = await request(FIND, { q: q || null, status }, { signal })
  return present(products).edges.map((edge) => productPick(edge.node))
}
