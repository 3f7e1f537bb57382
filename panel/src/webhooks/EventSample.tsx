import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { Choice } from '../ui/Choice'
import { Code } from '../ui/Code'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Skeleton } from '../ui/Skeleton'
import { eventsQuery } from './queries'
import { webhookWords } from './words'

const SAMPLE = graphql(`
  query WebhookSample($event: String!) { webhookSample(event: $event) }
`)

/** The body of an event, before the first one has happened. */
export function EventSample() {
  const [event, setEvent] = useState('charge.paid')
  const events = useQuery(eventsQuery)
  const sample = useQuery({
    queryKey: ['webhook events', event],
    queryFn: async ({ signal }) => present((await request(SAMPLE, { event }, { signal })).webhookSample),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const names = events.data?.map((known) => known.event) ?? [event]
  return (
    <>
      <Choice
        label={webhookWords.event}
        value={event}
        options={names.map((name) => ({ value: name, label: name }))}
        onChange={setEvent}
      />
      {sample.isPending && <Skeleton lines={6} />}
      {sample.error && <ErrorNotice error={sample.error} onRetry={sample.refetch} />}
      {sample.data !== undefined && <Code text={JSON.stringify(sample.data, null, 2)} />}
    </>
  )
}
