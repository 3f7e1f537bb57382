import type { FilterField } from '../list/search'
import { customerWords } from './words'

export const CUSTOMER_FILTERS: readonly FilterField[] = [
  { name: 'createdFrom', label: customerWords.createdFrom, kind: 'date' },
  { name: 'createdTo', label: customerWords.createdTo, kind: 'date' },
  { name: 'email', label: customerWords.email, kind: 'text' },
  { name: 'cpf', label: customerWords.document, kind: 'text' },
]
