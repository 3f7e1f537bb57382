import type { FilterField } from '../list/search'
import { refundWords } from './words'

export const REFUND_FILTERS: readonly FilterField[] = [
  { name: 'createdFrom', label: refundWords.createdFrom, kind: 'date' },
  { name: 'createdTo', label: refundWords.createdTo, kind: 'date' },
  { name: 'externalReference', label: refundWords.reference, kind: 'text' },
  { name: 'chargeId', label: refundWords.ofCharge, kind: 'parent' },
]
