import type { UpdateWebhookEndpointInput } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { rememberSecret } from './secrets'

const UPDATE = graphql(`
  mutation UpdateWebhookEndpoint($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) { id } }
`)
const OPEN_RECEIVER = graphql(`
  mutation OpenTestReceiver { openTestReceiver { id secret } }
`)

export const updateEndpoint = (input: UpdateWebhookEndpointInput) => request(UPDATE, { input })

export const setActive = (id: string, active: boolean) => updateEndpoint({ id, active })

/** Open a test receiver, and remember its secret. */
export async function openTestReceiver(idempotencyKey: string): Promise<{ id: string; secret: string }> {
  const receiver = present((await request(OPEN_RECEIVER, {}, { idempotencyKey })).openTestReceiver)
  rememberSecret(receiver.id, receiver.secret)
  return receiver
}
