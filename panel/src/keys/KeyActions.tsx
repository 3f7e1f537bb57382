import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { ActionButton } from '../ui/ActionButton'
import { Button } from '../ui/Button'
import { ConfirmButton } from '../ui/ConfirmButton'
import { Form } from '../ui/Form'
import { Modal } from '../ui/Modal'
import { TextField } from '../ui/TextField'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { words } from '../words/pt-BR'
import { isExpired } from './KeyStatus'
import { type ApiKey, keyQuery } from './queries'
import { keyWords } from './words'

const UPDATE = graphql(`
  mutation UpdateApiKey($input: UpdateApiKeyInput!) { updateApiKey(input: $input) { id } }
`)
const REVOKE = graphql(`
  mutation RevokeApiKey($id: ID!) { revokeApiKey(id: $id) { id } }
`)

/** What may be done with the key now. */
export function KeyActions({ apiKey: { id, name, active, expiresAt } }: { apiKey: ApiKey }) {
  const can = useCan()
  const cache = useQueryClient()
  const navigate = useNavigateFromHere()
  const [renaming, setRenaming] = useState(false)
  const update = async (change: { name?: string; active?: boolean }) => {
    await request(UPDATE, { input: { id, ...change } })
    await cache.invalidateQueries({ queryKey: ['api keys'] })
  }
  const revoke = async () => {
    await request(REVOKE, { id })
    await navigate({ to: '/dev/chaves', search: {} })
    cache.removeQueries({ queryKey: keyQuery(id).queryKey })
    await cache.invalidateQueries({ queryKey: ['api keys'] })
  }
  return (
    <>
      {can('updateApiKey') && (
        <Button variant="plain" onClick={() => setRenaming(true)}>
          {keyWords.rename}
        </Button>
      )}
      {can('updateApiKey') && active && (
        <ConfirmButton
          label={keyWords.deactivate}
          title={keyWords.deactivateTitle}
          lead={keyWords.deactivateLead}
          confirm={keyWords.deactivateConfirm}
          onConfirm={() => update({ active: false })}
        />
      )}
      {can('updateApiKey') && !active && !isExpired(expiresAt) && (
        <ActionButton label={keyWords.activate} onAct={() => update({ active: true })} />
      )}
      {can('revokeApiKey') && (
        <ConfirmButton
          label={keyWords.revoke}
          title={keyWords.revokeTitle}
          lead={keyWords.revokeLead}
          confirm={keyWords.revokeConfirm}
          onConfirm={revoke}
        />
      )}
      {renaming && (
        <Modal title={keyWords.rename} onClose={() => setRenaming(false)}>
          <Form
            submit={words.save}
            onSubmit={async (values) => {
              await update({ name: values.name ?? '' })
              setRenaming(false)
            }}
          >
            <TextField name="name" label={keyWords.name} defaultValue={name} required />
          </Form>
        </Modal>
      )}
    </>
  )
}
