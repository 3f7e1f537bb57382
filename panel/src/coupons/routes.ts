import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'

const coupons = createRoute({
  getParentRoute: () => frame,
  path: '/cupons',
  validateSearch: searchOf(['q', 'status', 'order', 'createdFrom', 'createdTo', 'code']),
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
