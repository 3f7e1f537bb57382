import type { ProductionStatus } from '../api/gql/graphql'
import { productionStatuses } from '../words/pt-BR'
import { Status, type Tone } from './Status'

const TONES: Record<ProductionStatus, Tone> = {
  sandbox: 'quiet',
  pending: 'waiting',
  approved: 'good',
  rejected: 'bad',
  suspended: 'bad',
}

export function ProductionStatusLabel({ status }: { status: ProductionStatus }) {
  return <Status tone={TONES[status]}>{productionStatuses[status]}</Status>
}
