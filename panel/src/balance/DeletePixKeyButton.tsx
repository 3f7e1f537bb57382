import { useQueryClient } from '@tanstack/react-query'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { ConfirmButton } from '../ui/ConfirmButton'
import { pixKeysQuery } from './queries'
import { withdrawalWords } from './words'

const DELETE = graphql(`
  mutation DeletePixKey($id: ID!) { deletePixKey(id: $id) { id } }
`)

export function DeletePixKeyButton({ id, onDone }: { id: string; onDone: () => void }) {
  const can = useCan()
  const cache = useQueryClient()

  async function remove() {
    await request(DELETE, { id })
    await cache.invalidateQueries({ queryKey: pixKeysQuery.queryKey })
    onDone()
  }

  if (!can('deletePixKey')) return null
  return (
    <ConfirmButton
      label={withdrawalWords.deleteKey}
      title={withdrawalWords.deleteKeyTitle}
      lead={withdrawalWords.deleteKeyLead}
      confirm={withdrawalWords.deleteKey}
      onConfirm={remove}
    />
  )
}
