import type { SubscriptionStatus as Value } from '../api/gql/graphql'
import { Status, type Tone } from '../ui/Status'
import { subscriptionStatuses, subscriptionWords } from './words'

const TONES: Record<Value, Tone> = { active: 'good', paused: 'waiting', canceled: 'quiet' }

type Props = { subscription: { status: Value; lastFailure?: string | null } }

/** The status, or that an active subscription couldn't be charged. */
export function SubscriptionStatus({ subscription: { status, lastFailure } }: Props) {
  if (status === 'active' && lastFailure) return <Status tone="bad">{subscriptionWords.failed}</Status>
  return <Status tone={TONES[status]}>{subscriptionStatuses[status]}</Status>
}
