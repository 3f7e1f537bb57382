import { useQueryClient } from '@tanstack/react-query'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { ConfirmButton } from '../ui/ConfirmButton'
import { EditButton } from '../ui/EditButtons'
import { LinkButton } from '../ui/LinkButton'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { words } from '../words/pt-BR'
import { customerQuery } from './queries'
import { customerWords } from './words'

const DELETE = graphql(`
  mutation DeleteCustomer($id: ID!) { deleteCustomer(id: $id) { id } }
`)

/** What may be done with the customer. */
export function CustomerActions({ id }: { id: string }) {
  const can = useCan()
  const cache = useQueryClient()
  const navigate = useNavigateFromHere()

  async function remove() {
    await request(DELETE, { id })
    await navigate({ to: '/clientes', search: {} })
    cache.removeQueries(customerQuery(id))
    await cache.invalidateQueries({ queryKey: ['customers'] })
  }

  return (
    <>
      {can('issueCharge') && (
        <LinkButton to="/cobrancas/nova" search={{ cliente: id }}>
          {customerWords.charge}
        </LinkButton>
      )}
      {can('createSubscription') && (
        <LinkButton variant="plain" to="/assinaturas/nova" search={{ cliente: id }}>
          {customerWords.subscribe}
        </LinkButton>
      )}
      {can('updateCustomer') && <EditButton />}
      {can('deleteCustomer') && (
        <ConfirmButton
          label={words.remove}
          title={customerWords.removeTitle}
          lead={customerWords.removeLead}
          confirm={customerWords.removeConfirm}
          onConfirm={remove}
        />
      )}
    </>
  )
}
