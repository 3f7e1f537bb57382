import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { Denied } from '../frame/Denied'
import { useCan } from '../frame/queries'
import { ActionButton } from '../ui/ActionButton'
import { Card } from '../ui/Card'
import { Code } from '../ui/Code'
import { Disclosure } from '../ui/Disclosure'
import { Form } from '../ui/Form'
import { Heading } from '../ui/Heading'
import { Page } from '../ui/Page'
import { SecretOnce } from '../ui/SecretOnce'
import { TextField } from '../ui/TextField'
import { openTestReceiver } from './changes'
import { EndpointFields, eventsOf } from './EndpointFields'
import { EventSample } from './EventSample'
import { rememberSecret } from './secrets'
import { webhookWords } from './words'

const CREATE = graphql(`
  mutation CreateWebhookEndpoint($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) { id secret }
  }
`)

type Created = { id: string; secret: string }

/** The form, and then the secret, which only this answer shows. */
export function NewEndpointPage() {
  const can = useCan()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [created, setCreated] = useState<Created | null>(null)

  function show(endpoint: Created) {
    void cache.invalidateQueries({ queryKey: ['webhooks'] })
    setCreated(endpoint)
  }

  if (!can('createWebhookEndpoint')) return <Denied title={webhookWords.newEndpoint} />
  return (
    <Page
      back={
        <Link to="/dev/webhooks" search={{}}>
          {webhookWords.title}
        </Link>
      }
      heading={<Heading title={created ? webhookWords.keepTitle : webhookWords.newEndpoint} />}
    >
      {created ? (
        <SecretOnce
          lead={webhookWords.keepLead}
          onStored={() => void navigate({ to: '/dev/webhooks/$id', params: { id: created.id }, search: {} })}
        >
          <Code text={created.secret} />
        </SecretOnce>
      ) : (
        <>
          <NewEndpointForm onCreate={show} />
          {can('openTestReceiver') && <TestReceiver onOpen={show} />}
          <Card title={webhookWords.sampleTitle}>
            <Disclosure label={webhookWords.sample}>
              <EventSample />
            </Disclosure>
          </Card>
        </>
      )}
    </Page>
  )
}

function NewEndpointForm({ onCreate }: { onCreate: (endpoint: Created) => void }) {
  const keyOf = useIdempotencyKey()

  async function create(values: Record<string, string>) {
    const { name = '', url = '', secret } = values
    const input = { name, url, events: eventsOf(values), secret: secret || null }
    const { createWebhookEndpoint } = await request(CREATE, { input }, { idempotencyKey: keyOf(input) })
    const endpoint = present(createWebhookEndpoint)
    rememberSecret(endpoint.id, endpoint.secret)
    onCreate(endpoint)
  }

  return (
    <Form submit={webhookWords.create} onSubmit={create}>
      <EndpointFields />
      <Disclosure label={webhookWords.options}>
        <TextField name="secret" label={webhookWords.secret} hint={webhookWords.secretHint} autoComplete="off" />
      </Disclosure>
    </Form>
  )
}

function TestReceiver({ onOpen }: { onOpen: (endpoint: Created) => void }) {
  const keyOf = useIdempotencyKey()
  const open = async () => onOpen(await openTestReceiver(keyOf('receiver')))
  return (
    <Card title={webhookWords.receiverTitle}>
      <p>{webhookWords.receiverLead}</p>
      <div>
        <ActionButton label={webhookWords.openReceiver} onAct={open} />
      </div>
    </Card>
  )
}
