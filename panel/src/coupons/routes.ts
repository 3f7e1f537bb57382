import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'
import { COUPON_SEARCH } from './filters'

const coupons = createRoute({
  getParentRoute: () => frame,
  path: '/cupons',
  validateSearch: searchOf(COUPON_SEARCH),
  component: lazyRouteComponent(() => import('./CouponsPage'), 'CouponsPage'),
})
const newCoupon = createRoute({
  getParentRoute: () => frame,
  path: '/cupons/novo',
  component: lazyRouteComponent(() => import('./NewCouponPage'), 'NewCouponPage'),
})
const coupon = createRoute({
  getParentRoute: () => frame,
  path: '/cupons/$id',
  validateSearch: searchOf(['editar']),
  component: lazyRouteComponent(() => import('./CouponPage'), 'CouponPage'),
})

export const couponRoutes = [coupons, newCoupon, coupon] as const
