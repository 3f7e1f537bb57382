import type { FilterField } from '../list/search'
import { chargeWords } from './words'

/** The filters of the list. Other pages lead here with `customerId` and its like. */
export const CHARGE_FILTERS: readonly FilterField[] = [
  { name: 'createdFrom', label: chargeWords.createdFrom, kind: 'date' },
  { name: 'createdTo', label: chargeWords.createdTo, kind: 'date' },
  { name: 'paidFrom', label: chargeWords.paidFrom, kind: 'date' },
  { name: 'paidTo', label: chargeWords.paidTo, kind: 'date' },
  { name: 'amountMin', label: chargeWords.amountMin, kind: 'money' },
  { name: 'amountMax', label: chargeWords.amountMax, kind: 'money' },
  { name: 'externalReference', label: chargeWords.reference, kind: 'text' },
  { name: 'paidLate', label: chargeWords.onlyPaidLate, kind: 'flag' },
  { name: 'customerId', label: chargeWords.ofCustomer, kind: 'parent' },
  { name: 'productId', label: chargeWords.ofProduct, kind: 'parent' },
  { name: 'couponId', label: chargeWords.ofCoupon, kind: 'parent' },
  { name: 'subscriptionId', label: chargeWords.ofSubscription, kind: 'parent' },
  { name: 'paymentLinkId', label: chargeWords.ofLink, kind: 'parent' },
]
