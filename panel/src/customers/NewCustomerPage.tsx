import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { CreateCustomerInput } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { Denied } from '../frame/Denied'
import { useCan } from '../frame/queries'
import { Heading } from '../ui/Heading'
import { Page } from '../ui/Page'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { CustomerForm } from './CustomerForm'
import { customerWords } from './words'

const CREATE = graphql(`
  mutation CreateCustomer($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }
`)

export function NewCustomerPage() {
  const can = useCan()
  const navigate = useNavigateFromHere()
  const cache = useQueryClient()
  const keyOf = useIdempotencyKey()

  async function create(input: CreateCustomerInput) {
    const { createCustomer } = await request(CREATE, { input }, { idempotencyKey: keyOf(input) })
    await cache.invalidateQueries({ queryKey: ['customers'] })
    await navigate({ to: '/clientes/$id', params: { id: present(createCustomer).id } })
  }

  if (!can('createCustomer')) return <Denied title={customerWords.newCustomer} />
  return (
    <Page
      back={
        <Link to="/clientes" search={{}}>
          {customerWords.title}
        </Link>
      }
      heading={<Heading title={customerWords.newCustomer} />}
    >
      <CustomerForm submit={customerWords.create} onSubmit={create} />
    </Page>
  )
}
