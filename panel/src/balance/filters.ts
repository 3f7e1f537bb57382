import type { FilterField } from '../list/search'
import { repaymentWords, statementWords, withdrawalWords } from './words'

export const WITHDRAWAL_FILTERS: readonly FilterField[] = [
  { name: 'createdFrom', label: withdrawalWords.createdFrom, kind: 'date' },
  { name: 'createdTo', label: withdrawalWords.createdTo, kind: 'date' },
  { name: 'externalReference', label: withdrawalWords.reference, kind: 'text' },
]

export const REPAYMENT_FILTERS: readonly FilterField[] = [
  { name: 'createdFrom', label: repaymentWords.createdFrom, kind: 'date' },
  { name: 'createdTo', label: repaymentWords.createdTo, kind: 'date' },
]
export const STATEMENT_FILTERS: readonly FilterField[] = [
  { name: 'from', label: statementWords.from, kind: 'date' },
  { name: 'to', label: statementWords.to, kind: 'date' },
]
