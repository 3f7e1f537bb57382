import type { RefundStatus as Value } from '../api/gql/graphql'
import { Status, type Tone } from '../ui/Status'
import { refundStatuses } from './words'

const TONES: Record<Value, Tone> = { pending: 'waiting', processing: 'waiting', completed: 'good', rejected: 'bad' }

export function RefundStatus({ status }: { status: Value }) {
  return <Status tone={TONES[status]}>{refundStatuses[status]}</Status>
}
