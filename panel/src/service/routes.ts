import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { textSearch } from '../list/search'

const service = createRoute({
  getParentRoute: () => frame,
  path: '/servico',
  component: lazyPage(() => import('./ServicePage'), 'ServicePage'),
})
const merchants = createRoute({
  getParentRoute: () => frame,
  path: '/servico/lojistas',
  validateSearch: textSearch,
  component: lazyPage(() => import('../merchants/MerchantsPage'), 'MerchantsPage'),
})
const merchant = createRoute({
  getParentRoute: () => frame,
  path: '/servico/lojistas/$id',
  component: lazyPage(() => import('../merchants/MerchantPage'), 'MerchantPage'),
})

export const serviceRoutes = [service, merchants, merchant] as const
