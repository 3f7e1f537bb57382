import { Status } from '../ui/Status'
import { couponState } from './state'

export function CouponStatus({ coupon }: { coupon: Parameters<typeof couponState>[0] }) {
  const { tone, text } = couponState(coupon)
  return <Status tone={tone}>{text}</Status>
}
