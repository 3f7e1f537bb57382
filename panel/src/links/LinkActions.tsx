import { useQueryClient } from '@tanstack/react-query'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { ActionButton } from '../ui/ActionButton'
import { ConfirmButton } from '../ui/ConfirmButton'
import { EditButton } from '../ui/EditButtons'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { words } from '../words/pt-BR'
import { linkQuery, type PaymentLink, UPDATE_LINK } from './queries'
import { linkWords } from './words'

const DELETE = graphql(`
  mutation DeletePaymentLink($id: ID!) { deletePaymentLink(id: $id) { id } }
`)

/** What may be done with the link now. */
export function LinkActions({ link }: { link: PaymentLink }) {
  const can = useCan()
  const cache = useQueryClient()
  const navigate = useNavigateFromHere()
  const { id } = link

  async function activate(active: boolean) {
    await request(UPDATE_LINK, { input: { id, active } })
    await cache.invalidateQueries({ queryKey: ['links'] })
  }

  async function remove() {
    await request(DELETE, { id })
    await navigate({ to: '/links', search: {} })
    cache.removeQueries(linkQuery(id))
    await cache.invalidateQueries({ queryKey: ['links'] })
  }

  return (
    <>
      {can('updatePaymentLink') && <EditButton />}
      {can('updatePaymentLink') && link.active && (
        <ConfirmButton
          label={linkWords.deactivate}
          title={linkWords.deactivateTitle}
          lead={linkWords.deactivateLead}
          confirm={linkWords.deactivateConfirm}
          onConfirm={() => activate(false)}
        />
      )}
      {can('updatePaymentLink') && !link.active && (
        <ActionButton label={linkWords.activate} onAct={() => activate(true)} />
      )}
      {can('deletePaymentLink') && (
        <ConfirmButton
          label={words.remove}
          title={linkWords.removeTitle}
          lead={linkWords.removeLead}
          confirm={linkWords.removeConfirm}
          onConfirm={remove}
          instead={
            link.active &&
            can('updatePaymentLink') && {
              code: 'MUITAS_REFERENCIAS',
              label: linkWords.deactivate,
              onConfirm: () => activate(false),
            }
          }
        />
      )}
    </>
  )
}
