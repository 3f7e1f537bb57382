import { useState } from 'react'
import { ask } from '../api/ask'
import type { ReplayWebhooksMutation } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { Form } from '../ui/Form'
import { instantOf, localTimeOf } from '../ui/format'
import { Modal } from '../ui/Modal'
import { Notice } from '../ui/Notice'
import { TextField } from '../ui/TextField'
import { words } from '../words/pt-BR'
import type { EndpointDialogProps } from './EditEndpointDialog'
import { webhookWords } from './words'

const REPLAY = graphql(`
  mutation ReplayWebhooks($input: ReplayWebhooksInput!) { replayWebhooks(input: $input) { replayed hasMore } }
`)
const DAY_MILLISECONDS = 86_400_000

type Replay = NonNullable<ReplayWebhooksMutation['replayWebhooks']>

/** Sends again what the endpoint missed: by default of its last failures, else of the last day. */
export function ReplayDialog({ endpoint: { id, health }, onClose }: EndpointDialogProps) {
  const [results, setResults] = useState<readonly Replay[]>([])
  const keyOf = useIdempotencyKey()
  const since = health?.firstFailureAt ? new Date(health.firstFailureAt) : new Date(Date.now() - DAY_MILLISECONDS)

  async function replay(values: Record<string, string>) {
    const input = { id, since: instantOf(values.since ?? '') }
    const idempotencyKey = keyOf({ ...input, round: results.length })
    const { replayWebhooks } = await ask(REPLAY, { input }, { idempotencyKey })
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
          hint={words.timeZone}
          defaultValue={localTimeOf(since)}
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
