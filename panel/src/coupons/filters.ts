import type { FilterField } from '../list/search'
import { couponWords } from './words'

export const COUPON_FILTERS: readonly FilterField[] = [
  { name: 'createdFrom', label: couponWords.createdFrom, kind: 'date' },
  { name: 'createdTo', label: couponWords.createdTo, kind: 'date' },
  { name: 'code', label: couponWords.code, kind: 'text' },
]
