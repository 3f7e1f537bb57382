import { words } from '../words/pt-BR'
import type { Fact } from './Facts'
import { formatInteger } from './format'
import { Money } from './Money'
import { Time } from './Time'

type Paid = { paidCount: number; paidAmount: number; lastPaidAt?: string | null }

/** What the paid charges of a link, a customer and the like sum up to. */
export const paidFacts = ({ paidCount, paidAmount, lastPaidAt }: Paid): Fact[] => [
  { term: words.paidAmount, value: <Money value={paidAmount} /> },
  { term: words.paidCount, value: formatInteger(paidCount) },
  { term: words.lastPaidAt, value: lastPaidAt && <Time value={lastPaidAt} /> },
]
