import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { textSearch } from '../list/search'

const coupons = createRoute({
  getParentRoute: () => frame,
  path: '/cupons',
  validateSearch: textSearch,
  component: lazyPage(() => import('./CouponsPage'), 'CouponsPage'),
})
const newCoupon = createRoute({
  getParentRoute: () => frame,
  path: '/cupons/novo',
  component: lazyPage(() => import('./NewCouponPage'), 'NewCouponPage'),
})
const coupon = createRoute({
  getParentRoute: () => frame,
  path: '/cupons/$id',
  validateSearch: textSearch,
  component: lazyPage(() => import('./CouponPage'), 'CouponPage'),
})

export const couponRoutes = [coupons, newCoupon, coupon] as const
