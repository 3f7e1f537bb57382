import { Status } from '../ui/Status'
import type { Endpoint } from './queries'
import { webhookWords } from './words'

export function EndpointStatus({ active, disabledReason }: Pick<Endpoint, 'active' | 'disabledReason'>) {
  if (active) return <Status tone="good">{webhookWords.active}</Status>
  return <Status tone={disabledReason ? 'bad' : 'quiet'}>{webhookWords.inactive}</Status>
}
