import { Suspense } from 'react'
import { Form } from '../ui/Form'
import { Modal } from '../ui/Modal'
import { Skeleton } from '../ui/Skeleton'
import { words } from '../words/pt-BR'
import { updateEndpoint } from './changes'
import { EndpointFields, eventsOf } from './EndpointFields'
import type { Endpoint } from './queries'
import { webhookWords } from './words'

export type EndpointDialogProps = { endpoint: Endpoint; onClose: () => void }

export function EditEndpointDialog({ endpoint, onClose }: EndpointDialogProps) {
  async function save(values: Record<string, string>) {
    const { name = '', url } = values
    await updateEndpoint({ id: endpoint.id, name, events: eventsOf(values), ...(url === undefined ? {} : { url }) })
    onClose()
  }

  return (
    <Modal title={webhookWords.edit} onClose={onClose}>
      <Suspense fallback={<Skeleton />}>
        <Form submit={words.save} onSubmit={save}>
          <EndpointFields endpoint={endpoint} />
        </Form>
      </Suspense>
    </Modal>
  )
}
