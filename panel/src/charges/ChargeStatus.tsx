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

type Props = { status: Value; underReview?: boolean; refundedAmount?: number }

export function ChargeStatus({ status, underReview = false, refundedAmount = 0 }: Props) {
  if (status === 'paid' && refundedAmount > 0) {
    return (
      <Status tone="good" icon="undo">
        {chargeWords.partlyRefunded}
      </Status>
    )
  }
  return <Status tone={TONES[status]}>{underReview ? chargeWords.underReview : chargeStatuses[status]}</Status>
}
