import type { ChargeStatus as Value } from '../api/gql/graphql'
import { Status, type Tone } from '../ui/Status'
import { chargeStatuses, chargeWords } from './words'

const TONES: Record<Value, Tone> = {
  pending: 'waiting',
  paid: 'good',
  expired: 'quiet',
  canceled: 'quiet',
  refunded: 'bad',
}

export function ChargeStatus({ status, underReview = false }: { status: Value; underReview?: boolean }) {
  return <Status tone={TONES[status]}>{underReview ? chargeWords.underReview : chargeStatuses[status]}</Status>
}
