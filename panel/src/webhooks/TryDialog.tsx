import { useSuspenseQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { Form } from '../ui/Form'
import { Modal } from '../ui/Modal'
import { SelectField } from '../ui/SelectField'
import { Skeleton } from '../ui/Skeleton'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import type { EndpointDialogProps } from './EditEndpointDialog'
import { eventsQuery } from './queries'
import { webhookWords } from './words'

const TRY = graphql(`
  mutation TryWebhookEndpoint($id: ID!, $event: String!) { tryWebhookEndpoint(id: $id, event: $event) { id } }
`)

/** Sends an example, and leads to its delivery. */
export function TryDialog({ endpoint, onClose }: EndpointDialogProps) {
  return (
    <Modal title={webhookWords.try} lead={webhookWords.tryLead} onClose={onClose}>
      <Suspense fallback={<Skeleton />}>
        <TryForm id={endpoint.id} />
      </Suspense>
    </Modal>
  )
}

function TryForm({ id }: { id: string }) {
  const { data: events } = useSuspenseQuery(eventsQuery)
  const navigate = useNavigateFromHere()
  const keyOf = useIdempotencyKey()

  async function send({ event = '' }: Record<string, string>) {
    const { tryWebhookEndpoint } = await request(TRY, { id, event }, { idempotencyKey: keyOf(event) })
    const deliveryId = present(tryWebhookEndpoint).id
    await navigate({ to: '/dev/webhooks/$id/entregas/$deliveryId', params: { id, deliveryId } })
  }

  return (
    <Form submit={webhookWords.trySend} onSubmit={send}>
      <SelectField
        name="event"
        label={webhookWords.tryEvent}
        options={events.map(({ event }) => ({ value: event, label: event }))}
        defaultValue="charge.paid"
      />
    </Form>
  )
}
