import { useSuspenseQuery } from '@tanstack/react-query'
import { CheckGroupField } from '../ui/CheckGroupField'
import { TextField } from '../ui/TextField'
import { isTestReceiver } from './EndpointAddress'
import { type Endpoint, eventsQuery } from './queries'
import { webhookWords } from './words'

/** What a new endpoint and a changed one have in common. The address of a test receiver is fixed. */
export function EndpointFields({ endpoint }: { endpoint?: Endpoint }) {
  // A form without the list would send no event, which is all of them.
  const { data: events } = useSuspenseQuery(eventsQuery)
  return (
    <>
      <TextField
        name="name"
        label={webhookWords.name}
        hint={webhookWords.nameHint}
        defaultValue={endpoint?.name ?? ''}
        autoComplete="off"
        autoFocus
        required
      />
      {!(endpoint && isTestReceiver(endpoint)) && (
        <TextField
          name="url"
          type="url"
          label={webhookWords.url}
          hint={webhookWords.urlHint}
          placeholder="https://"
          defaultValue={endpoint?.url ?? ''}
          autoComplete="off"
          required
        />
      )}
      <CheckGroupField
        name="events"
        label={webhookWords.events}
        hint={webhookWords.eventsHint}
        options={events.map(({ event, description }) => ({ value: event, label: event, detail: description }))}
        defaultValues={endpoint?.events ?? []}
      />
    </>
  )
}

/** The chosen events; none is all of them. */
export const eventsOf = ({ events }: Record<string, string>): string[] => (events ? events.split(',') : [])
