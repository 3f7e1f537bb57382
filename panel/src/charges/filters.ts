import { couponSource } from '../coupons/queries'
import { customerSource } from '../customers/queries'
import { linkSource } from '../links/queries'
import type { FilterField } from '../list/search'
import { productSource } from '../products/queries'
import { subscriptionSource } from '../subscriptions/queries'
import { chargeWords } from './words'

/** The filters of the list. The page of a customer and its like lead here with its id. */
export const CHARGE_FILTERS: readonly FilterField[] = [
  { name: 'createdFrom', label: chargeWords.createdFrom, kind: 'date' },
  { name: 'createdTo', label: chargeWords.createdTo, kind: 'date' },
  { name: 'paidFrom', label: chargeWords.paidFrom, kind: 'date' },
  { name: 'paidTo', label: chargeWords.paidTo, kind: 'date' },
  { name: 'amountMin', label: chargeWords.amountMin, kind: 'money' },
  { name: 'amountMax', label: chargeWords.amountMax, kind: 'money' },
  { name: 'externalReference', label: chargeWords.reference, kind: 'text' },
  { name: 'paidLate', label: chargeWords.onlyPaidLate, kind: 'flag' },
  { name: 'customerId', label: chargeWords.customer, kind: 'parent', source: customerSource },
  { name: 'productId', label: chargeWords.product, kind: 'parent', source: productSource },
  { name: 'couponId', label: chargeWords.coupon, kind: 'parent', source: couponSource },
  { name: 'subscriptionId', label: chargeWords.subscription, kind: 'parent', source: subscriptionSource },
  { name: 'paymentLinkId', label: chargeWords.link, kind: 'parent', source: linkSource },
]
