import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { Button } from '../ui/Button'
import { ConfirmButton } from '../ui/ConfirmButton'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { setActive } from './changes'
import { EditEndpointDialog } from './EditEndpointDialog'
import { type Endpoint, endpointQuery } from './queries'
import { ReplayDialog } from './ReplayDialog'
import { RotateSecretDialog } from './RotateSecretDialog'
import { TryDialog } from './TryDialog'
import { webhookWords } from './words'

const DELETE = graphql(`
  mutation DeleteWebhookEndpoint($id: ID!) { deleteWebhookEndpoint(id: $id) { id } }
`)

const DIALOGS = {
  try: { field: 'tryWebhookEndpoint', onlyActive: true, Dialog: TryDialog },
  edit: { field: 'updateWebhookEndpoint', onlyActive: false, Dialog: EditEndpointDialog },
  rotate: { field: 'rotateWebhookSecret', onlyActive: false, Dialog: RotateSecretDialog },
  replay: { field: 'replayWebhooks', onlyActive: true, Dialog: ReplayDialog },
} as const

const NAMES = ['try', 'edit', 'rotate', 'replay'] as const

/** What may be done with the endpoint now. */
export function EndpointActions({ endpoint }: { endpoint: Endpoint }) {
  const can = useCan()
  const cache = useQueryClient()
  const navigate = useNavigateFromHere()
  const [open, setOpen] = useState<(typeof NAMES)[number] | null>(null)
  const { id } = endpoint
  const refresh = () => cache.invalidateQueries({ queryKey: ['webhooks'] })
  const Opened = open && DIALOGS[open].Dialog

  async function remove() {
    await request(DELETE, { id })
    await navigate({ to: '/dev/webhooks', search: {} })
    cache.removeQueries({ queryKey: endpointQuery(id).queryKey })
    await refresh()
  }

  function close() {
    setOpen(null)
    void refresh()
  }

  return (
    <>
      {NAMES.filter((name) => can(DIALOGS[name].field) && (endpoint.active || !DIALOGS[name].onlyActive)).map(
        (name) => (
          <Button key={name} variant="plain" onClick={() => setOpen(name)}>
            {webhookWords[name]}
          </Button>
        ),
      )}
      {can('updateWebhookEndpoint') && endpoint.active && (
        <ConfirmButton
          label={webhookWords.deactivate}
          title={webhookWords.deactivateTitle}
          lead={webhookWords.deactivateLead}
          confirm={webhookWords.deactivateConfirm}
          onConfirm={() => setActive(id, false).then(refresh)}
        />
      )}
      {can('deleteWebhookEndpoint') && (
        <ConfirmButton
          label={webhookWords.remove}
          title={webhookWords.removeTitle}
          lead={webhookWords.removeLead}
          confirm={webhookWords.removeConfirm}
          onConfirm={remove}
        />
      )}
      {Opened && <Opened endpoint={endpoint} onClose={close} />}
    </>
  )
}
