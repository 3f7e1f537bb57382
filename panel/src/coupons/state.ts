import type { DiscountType } from '../api/gql/graphql'
import { dayOf, formatDay, formatInteger, formatMoney, storeNow } from '../ui/format'
import type { Tone } from '../ui/Status'
import { couponWords } from './words'

type Availability = {
  isActive: boolean
  startsAt?: string | null
  expiresAt?: string | null
  maxUses?: number | null
  usesCount: number
}

/** Whether a coupon is worth something now, in words. The gateway decides; only the words are ours. */
export function couponState(coupon: Availability, now: Date = storeNow()): { tone: Tone; text: string } {
  const { isActive, startsAt, expiresAt, maxUses, usesCount } = coupon
  if (isActive && startsAt && new Date(startsAt) > now)
    return { tone: 'waiting', text: couponWords.starts(day(startsAt)) }
  if (isActive) return { tone: 'good', text: expiresAt ? couponWords.validUntil(day(expiresAt)) : couponWords.valid }
  if (maxUses && usesCount >= maxUses) return { tone: 'quiet', text: couponWords.usedUp }
  if (expiresAt && new Date(expiresAt) < now) return { tone: 'quiet', text: couponWords.expired(day(expiresAt)) }
  return { tone: 'quiet', text: couponWords.inactive }
}

/** `10%` or `R$ 5,00`. */
export const formatDiscount = (type: DiscountType, value: number): string =>
  type === 'percentage' ? `${formatInteger(value)}%` : formatMoney(value)

const day = (instant: string): string => formatDay(dayOf(new Date(instant)))
