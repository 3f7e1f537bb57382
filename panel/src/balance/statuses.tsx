import type { ReceivedStatus, WithdrawalStatus as Value } from '../api/gql/graphql'
import { Status, type Tone } from '../ui/Status'
import { repaymentStatuses, withdrawalStatuses } from './words'

const TONES: Record<Value, Tone> = {
  pending: 'waiting',
  processing: 'waiting',
  completed: 'good',
  rejected: 'bad',
  canceled: 'quiet',
}

export function WithdrawalStatus({ status }: { status: Value }) {
  return <Status tone={TONES[status]}>{withdrawalStatuses[status]}</Status>
}

export function RepaymentStatus({ status }: { status: ReceivedStatus }) {
  return <Status tone={status === 'done' ? 'good' : 'waiting'}>{repaymentStatuses[status]}</Status>
}
