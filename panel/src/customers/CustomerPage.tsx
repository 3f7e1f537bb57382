import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { CreateCustomerInput } from '../api/gql/graphql'
import { request } from '../api/request'
import { ChargesOf } from '../charges/ChargesOf'
import { useCan } from '../frame/queries'
import { SubscriptionsOf } from '../subscriptions/SubscriptionsOf'
import { Card } from '../ui/Card'
import { StopEditingButton } from '../ui/EditButtons'
import { Facts } from '../ui/Facts'
import { formatDocument, formatPhone } from '../ui/format'
import { Heading } from '../ui/Heading'
import { Page } from '../ui/Page'
import { paidFacts } from '../ui/paidFacts'
import { Time } from '../ui/Time'
import { useEditing } from '../ui/useEditing'
import { changedFields } from '../ui/values'
import { words } from '../words/pt-BR'
import { CustomerActions } from './CustomerActions'
import { CustomerForm } from './CustomerForm'
import { type Customer, customerQuery, UPDATE_CUSTOMER } from './queries'
import { customerWords } from './words'

export function CustomerPage() {
  const { id } = useParams({ from: '/frame/clientes/$id' })
  const { data: customer } = useSuspenseQuery(customerQuery(id))
  const can = useCan()
  const [editing, stop] = useEditing(can('updateCustomer'))
  const cache = useQueryClient()

  async function save(input: CreateCustomerInput) {
    await request(UPDATE_CUSTOMER, { input: { id, ...changedFields(input, customer) } })
    await cache.invalidateQueries({ queryKey: ['customers'] })
    await stop()
  }

  return (
    <Page
      back={
        <Link to="/clientes" search={{}}>
          {customerWords.title}
        </Link>
      }
      heading={<Heading key={String(editing)} title={customer.name} />}
      actions={!editing && <CustomerActions id={id} />}
    >
      {editing ? (
        <CustomerForm customer={customer} submit={words.save} cancel={<StopEditingButton />} onSubmit={save} />
      ) : (
        <>
          <Card title={customerWords.details}>
            <Facts facts={factsOf(customer)} />
          </Card>
          <SubscriptionsOf customerId={id} />
          <ChargesOf parent="customerId" id={id} />
        </>
      )}
    </Page>
  )
}

const factsOf = (customer: Customer) => [
  { term: customerWords.document, value: customer.cpf && formatDocument(customer.cpf) },
  { term: customerWords.email, value: customer.email },
  { term: customerWords.phone, value: customer.phone && formatPhone(customer.phone) },
  ...paidFacts(customer),
  { term: customerWords.created, value: <Time value={customer.createdAt} /> },
  { term: customerWords.updated, value: <Time value={customer.updatedAt} /> },
]
