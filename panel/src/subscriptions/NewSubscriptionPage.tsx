import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { type CustomerPick, customerPick, customerQuery } from '../customers/queries'
import { Denied } from '../frame/Denied'
import { useCan } from '../frame/queries'
import { Heading } from '../ui/Heading'
import { Page } from '../ui/Page'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { SubscriptionForm, type SubscriptionInput } from './SubscriptionForm'
import { subscriptionWords } from './words'

const CREATE = graphql(`
  mutation CreateSubscription($input: CreateSubscriptionContractInput!) { createSubscription(input: $input) { id } }
`)

export function NewSubscriptionPage() {
  const can = useCan()
  const { cliente } = useSearch({ from: '/frame/assinaturas/nova' })
  if (!can('createSubscription')) return <Denied title={subscriptionWords.newSubscription} />
  return (
    <Page
      back={
        <Link to="/assinaturas" search={{}}>
          {subscriptionWords.title}
        </Link>
      }
      heading={<Heading title={subscriptionWords.newSubscription} />}
    >
      {cliente ? <NewSubscriptionOfCustomer id={cliente} /> : <NewSubscriptionForm />}
    </Page>
  )
}

function NewSubscriptionOfCustomer({ id }: { id: string }) {
  const { data: customer } = useSuspenseQuery(customerQuery(id))
  return <NewSubscriptionForm customer={customerPick(customer)} />
}

function NewSubscriptionForm({ customer }: { customer?: CustomerPick }) {
  const navigate = useNavigateFromHere()
  const cache = useQueryClient()
  const keyOf = useIdempotencyKey()

  async function create(input: SubscriptionInput) {
    const { createSubscription } = await request(CREATE, { input }, { idempotencyKey: keyOf(input) })
    await cache.invalidateQueries({ queryKey: ['subscriptions'] })
    await navigate({ to: '/assinaturas/$id', params: { id: present(createSubscription).id } })
  }

  return <SubscriptionForm customer={customer} submit={subscriptionWords.create} onSubmit={create} />
}
