import { formatInteger } from '../ui/format'
import { Time } from '../ui/Time'
import type { Endpoint } from './queries'
import { webhookWords } from './words'

type Health = Pick<
  NonNullable<Endpoint['health']>,
  'lastSuccessAt' | 'lastAttemptAt' | 'firstFailureAt' | 'consecutiveFailures'
>

/** How the deliveries are going, on one line. */
export function EndpointHealth({ health }: { health: Health | null | undefined }) {
  if (!health?.lastAttemptAt) return webhookWords.noAttempts
  if (health.firstFailureAt) {
    return (
      <>
        {webhookWords.failingSince} <Time value={health.firstFailureAt} />:{' '}
        {webhookWords.failures(health.consecutiveFailures)}
      </>
    )
  }
  if (!health.lastSuccessAt) return webhookWords.noAttempts
  return (
    <>
      {webhookWords.lastSuccess} <Time value={health.lastSuccessAt} />
    </>
  )
}

/** The counts of the last 24 hours. */
export const dayOf = ({ delivered24h, failed24h }: NonNullable<Endpoint['health']>): string =>
  webhookWords.day(formatInteger(delivered24h), formatInteger(failed24h))
