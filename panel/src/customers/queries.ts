import { queryOptions } from '@tanstack/react-query'
import type { CustomerQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { maskDocument } from '../ui/format'
import type { Pick } from '../ui/PickField'

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
    customers(first: 20, filter: { q: $q }, order: name_asc) { edges { node { id name email cpf } } }
  }
`)

type CustomerToPick = { id: string; name: string; email?: string | null; cpf?: string | null }

export const customerPick = ({ id, name, email, cpf }: CustomerToPick): Pick => ({
  value: id,
  label: name,
  detail: email ?? (cpf ? maskDocument(cpf) : undefined),
})

/** The customers that have these words. */
export async function findCustomers(q: string, signal: AbortSignal): Promise<Pick[]> {
  const { customers } = await request(FIND, { q: q || null }, { signal })
  return present(customers).edges.map((edge) => customerPick(edge.node))
}
