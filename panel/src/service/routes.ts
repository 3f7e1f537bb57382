import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'

const service = createRoute({
  getParentRoute: () => frame,
  path: '/servico',
  component: lazyRouteComponent(() => import('./ServicePage'), 'ServicePage'),
})
const merchants = createRoute({
  getParentRoute: () => frame,
  path: '/servico/lojistas',
  validateSearch: searchOf(['q', 'status', 'order', 'createdFrom', 'createdTo']),
  component: lazyRouteComponent(() => import('../merchants/MerchantsPage'), 'MerchantsPage'),
})
const merchant = createRoute({
  getParentRoute: () => frame,
  path: '/servico/lojistas/$id',
  component: lazyRouteComponent(() => import('../merchants/MerchantPage'), 'MerchantPage'),
})

export const serviceRoutes = [service, merchants, merchant] as const
