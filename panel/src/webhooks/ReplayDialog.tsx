import { useState } from 'react'
import type { ReplayWebhooksMutation } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { Form } from '../ui/Form'
import { instantOf, localTimeOf, timeZoneName } from '../ui/format'
import { Modal } from '../ui/Modal'
import { Notice } from '../ui/Notice'
import { TextField } from '../ui/TextField'
import type { EndpointDialogProps } from './EditEndpointDialog'
import type { Endpoint } from './queries'
import { webhookWords } from './words'

const REPLAY = graphql(`
  mutation ReplayWebhooks($input: ReplayWebhooksInput!) { replayWebhooks(input: $input) { replayed hasMore } }
`)
const DAY_MILLISECONDS = 86_400_000

type Replay = NonNullable<ReplayWebhooksMutation['replayWebhooks']>

/** Since when an endpoint has received nothing; a day ago, if it does. */
export const missedFrom = ({ health, disabledAt }: Endpoint): string =>
  health?.firstFailureAt ?? disabledAt ?? new Date(Date.now() - DAY_MILLISECONDS).toISOString()

type Props = EndpointDialogProps & { since?: string }

/** Sends again what the endpoint missed. */
export function ReplayDialog({ endpoint, since = missedFrom(endpoint), onClose }: Props) {
  const { id } = endpoint
  const [results, setResults] = useState<readonly Replay[]>([])
  const keyOf = useIdempotencyKey()

  async function replay(values: Record<string, string>) {
    const input = { id, since: instantOf(values.since ?? '') }
    const idempotencyKey = keyOf({ ...input, round: results.length })
    const { replayWebhooks } = await request(REPLAY, { input }, { idempotencyKey })
    setResults([...results, present(replayWebhooks)])
  }

  const result = results.at(-1)
  return (
    <Modal title={webhookWords.replay} lead={webhookWords.replayLead} onClose={onClose}>
      {result && <Notice kind="info">{shown(result)}</Notice>}
      <Form submit={webhookWords.replaySend} onSubmit={replay}>
        <TextField
          name="since"
          type="datetime-local"
          label={webhookWords.replaySince}
          hint={timeZoneName()}
          defaultValue={localTimeOf(new Date(since))}
          required
        />
      </Form>
    </Modal>
  )
}

function shown({ replayed, hasMore }: Replay): string {
  if (replayed === 0) return webhookWords.replayedNone
  return hasMore ? `${webhookWords.replayed(replayed)} ${webhookWords.replayMore}` : webhookWords.replayed(replayed)
}
