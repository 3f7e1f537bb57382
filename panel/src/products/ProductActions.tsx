import { useQueryClient } from '@tanstack/react-query'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { ActionButton } from '../ui/ActionButton'
import { ConfirmButton } from '../ui/ConfirmButton'
import { EditButton } from '../ui/EditButtons'
import { LinkButton } from '../ui/LinkButton'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { words } from '../words/pt-BR'
import { type Product, productQuery, refreshProducts } from './queries'
import { productWords } from './words'

const DELETE = graphql(`
  mutation DeleteProduct($id: ID!) { deleteProduct(id: $id) { id } }
`)

type Props = { product: Product; onUpdate: (changes: { active: boolean }) => Promise<void> }

/** What may be done with the product now. */
export function ProductActions({ product, onUpdate }: Props) {
  const can = useCan()
  const cache = useQueryClient()
  const navigate = useNavigateFromHere()
  const { id, active } = product

  const activate = () => onUpdate({ active: !active })

  async function remove() {
    await request(DELETE, { id })
    await navigate({ to: '/produtos', search: {} })
    cache.removeQueries(productQuery(id))
    await refreshProducts(cache)
  }

  return (
    <>
      {active && can('createPaymentLink') && (
        <LinkButton to="/links/novo" search={{ produto: id }}>
          {productWords.makeLink}
        </LinkButton>
      )}
      {active && can('issueCharge') && (
        <LinkButton variant="plain" to="/cobrancas/nova" search={{ produto: id }}>
          {productWords.charge}
        </LinkButton>
      )}
      {can('updateProduct') && <EditButton />}
      {can('updateProduct') && (
        <ActionButton label={active ? productWords.deactivate : productWords.activate} onAct={activate} />
      )}
      {can('deleteProduct') && (
        <ConfirmButton
          label={words.remove}
          title={productWords.removeTitle}
          lead={productWords.removeLead}
          confirm={productWords.removeConfirm}
          onConfirm={remove}
          instead={
            active &&
            can('updateProduct') && {
              code: 'MUITAS_REFERENCIAS',
              label: productWords.deactivate,
              onConfirm: activate,
            }
          }
        />
      )}
    </>
  )
}
