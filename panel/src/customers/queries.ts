import { queryOptions } from '@tanstack/react-query'
import type { CustomerQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { maskDocument } from '../ui/format'
import type { Pick, PickSource } from '../ui/PickField'

const CUSTOMER = graphql(`
  query Customer($id: ID!) {
    customer(id: $id) { id name email cpf phone createdAt updatedAt paidCount paidAmount lastPaidAt }
  }
`)

export type Customer = NonNullable<CustomerQuery['customer']>

export const customerQuery = (id: string) =>
  queryOptions({
    queryKey: ['customers', 'one', id],
    queryFn: async ({ signal }) => present((await request(CUSTOMER, { id }, { signal })).customer),
  })

export const UPDATE_CUSTOMER = graphql(`
  mutation UpdateCustomer($input: UpdateCustomerInput!) { updateCustomer(input: $input) { id } }
`)

const FIND = graphql(`
  query FindCustomers($q: String) {
    customers(first: 20, filter: { q: $q }, order: name_asc) { edges { node { id name email cpf phone } } }
  }
`)

type CustomerToPick = {
  id: string
  name: string
  email?: string | null
  cpf?: string | null
  phone?: string | null
}

/** A customer to pick, with what a form fills in of it. */
export type CustomerPick = Pick & { customer: CustomerToPick }

export const customerPick = (customer: CustomerToPick): CustomerPick => ({
  value: customer.id,
  label: customer.name,
  detail: customer.email ?? (customer.cpf ? maskDocument(customer.cpf) : undefined),
  customer,
})

/** The customers that have these words. */
export async function findCustomers(q: string, signal: AbortSignal): Promise<CustomerPick[]> {
  const { customers } = await request(FIND, { q: q || null }, { signal })
  return present(customers).edges.map((edge) => customerPick(edge.node))
}

export const customerSource: PickSource = {
  of: 'customers',
  find: findCustomers,
  read: async (id, signal) => customerPick(present((await request(CUSTOMER, { id }, { signal })).customer)),
}
