import type { FilterField } from '../list/search'
import { linkWords } from './words'

/** The filters of the list. The pages of a product and a coupon lead here with their id. */
export const LINK_FILTERS: readonly FilterField[] = [
  { name: 'createdFrom', label: linkWords.createdFrom, kind: 'date' },
  { name: 'createdTo', label: linkWords.createdTo, kind: 'date' },
  { name: 'externalReference', label: linkWords.reference, kind: 'text' },
  { name: 'productId', label: linkWords.ofProduct, kind: 'parent' },
  { name: 'couponId', label: linkWords.ofCoupon, kind: 'parent' },
]
