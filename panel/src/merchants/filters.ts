import type { FilterField } from '../list/search'
import { merchantWords } from './words'

export const MERCHANT_FILTERS: readonly FilterField[] = [
  { name: 'createdFrom', label: merchantWords.createdFrom, kind: 'date' },
  { name: 'createdTo', label: merchantWords.createdTo, kind: 'date' },
]
