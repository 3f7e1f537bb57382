import { ask } from '../api/ask'
import { graphql } from '../api/gql'
import type { UpdateWebhookEndpointInput } from '../api/gql/graphql'

const UPDATE = graphql(`
  mutation UpdateWebhookEndpoint($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) { id } }
`)

export const updateEndpoint = (input: UpdateWebhookEndpointInput) => ask(UPDATE, { input })

export const setActive = (id: string, active: boolean) => updateEndpoint({ id, active })
