import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { Denied } from '../frame/Denied'
import { useCan } from '../frame/queries'
import { type ProductPick, productPick, productQuery } from '../products/queries'
import { Heading } from '../ui/Heading'
import { Page } from '../ui/Page'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { LinkForm, type LinkInput } from './LinkForm'
import { linkWords } from './words'

const CREATE = graphql(`
  mutation CreatePaymentLink($input: CreatePaymentLinkInput!) { createPaymentLink(input: $input) { id } }
`)

export function NewLinkPage() {
  const can = useCan()
  const { produto } = useSearch({ from: '/frame/links/novo' })
  if (!can('createPaymentLink')) return <Denied title={linkWords.newLink} />
  return (
    <Page
      back={
        <Link to="/links" search={{}}>
          {linkWords.title}
        </Link>
      }
      heading={<Heading title={linkWords.newLink} />}
    >
      {produto ? <NewLinkOfProduct id={produto} /> : <NewLinkForm />}
    </Page>
  )
}

function NewLinkOfProduct({ id }: { id: string }) {
  const { data: product } = useSuspenseQuery(productQuery(id))
  return <NewLinkForm product={productPick(product)} />
}

function NewLinkForm({ product }: { product?: ProductPick }) {
  const navigate = useNavigateFromHere()
  const cache = useQueryClient()
  const keyOf = useIdempotencyKey()

  async function create(input: LinkInput) {
    const { createPaymentLink } = await request(CREATE, { input }, { idempotencyKey: keyOf(input) })
    await cache.invalidateQueries({ queryKey: ['links'] })
    await navigate({ to: '/links/$id', params: { id: present(createPaymentLink).id } })
  }

  return <LinkForm product={product} submit={linkWords.create} onSubmit={create} />
}
