import type { FilterField } from '../list/search'
import { optionsOf } from '../ui/options'
import { intervals, subscriptionWords } from './words'

/** The filters of the list. The page of a customer leads here with its id. */
export const SUBSCRIPTION_FILTERS: readonly FilterField[] = [
  { name: 'failing', label: subscriptionWords.failing, kind: 'flag' },
  { name: 'interval', label: subscriptionWords.interval, kind: 'choice', options: optionsOf(intervals) },
  { name: 'intervalCount', label: subscriptionWords.intervalCount, kind: 'number' },
  { name: 'nextBillingFrom', label: subscriptionWords.nextFrom, kind: 'date' },
  { name: 'nextBillingTo', label: subscriptionWords.nextTo, kind: 'date' },
  { name: 'createdFrom', label: subscriptionWords.createdFrom, kind: 'date' },
  { name: 'createdTo', label: subscriptionWords.createdTo, kind: 'date' },
  { name: 'externalReference', label: subscriptionWords.reference, kind: 'text' },
  { name: 'customerId', label: subscriptionWords.ofCustomer, kind: 'parent' },
]
