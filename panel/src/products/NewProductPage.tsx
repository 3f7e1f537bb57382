import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { Denied } from '../frame/Denied'
import { useCan } from '../frame/queries'
import { Heading } from '../ui/Heading'
import { Page } from '../ui/Page'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { ProductForm, type ProductInput } from './ProductForm'
import { productWords } from './words'

const CREATE = graphql(`
  mutation CreateProduct($input: CreateProductInput!) { createProduct(input: $input) { id } }
`)

export function NewProductPage() {
  const can = useCan()
  const navigate = useNavigateFromHere()
  const cache = useQueryClient()
  const keyOf = useIdempotencyKey()

  async function create(input: ProductInput) {
    const { createProduct } = await request(CREATE, { input }, { idempotencyKey: keyOf(input) })
    await cache.invalidateQueries({ queryKey: ['products'] })
    await navigate({ to: '/produtos/$id', params: { id: present(createProduct).id } })
  }

  if (!can('createProduct')) return <Denied title={productWords.newProduct} />
  return (
    <Page
      back={
        <Link to="/produtos" search={{}}>
          {productWords.title}
        </Link>
      }
      heading={<Heading title={productWords.newProduct} />}
    >
      <ProductForm submit={productWords.create} onSubmit={create} />
    </Page>
  )
}
