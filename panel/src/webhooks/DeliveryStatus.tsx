import type { DeliveryStatus as Value } from '../api/gql/graphql'
import { Status, type Tone } from '../ui/Status'
import { deliveryStatuses } from './words'

const TONES: Record<Value, Tone> = { pending: 'waiting', delivered: 'good', exhausted: 'bad', canceled: 'quiet' }

export function DeliveryStatus({ status }: { status: Value }) {
  return <Status tone={TONES[status]}>{deliveryStatuses[status]}</Status>
}
