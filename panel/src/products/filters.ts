import type { FilterField } from '../list/search'
import { productWords } from './words'

export const PRODUCT_FILTERS: readonly FilterField[] = [
  { name: 'createdFrom', label: productWords.createdFrom, kind: 'date' },
  { name: 'createdTo', label: productWords.createdTo, kind: 'date' },
  { name: 'sku', label: productWords.sku, kind: 'text' },
]
