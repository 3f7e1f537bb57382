import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { textSearch } from '../list/search'

const charges = createRoute({
  getParentRoute: () => frame,
  path: '/cobrancas',
  validateSearch: textSearch,
  component: lazyPage(() => import('./ChargesPage'), 'ChargesPage'),
})
const newCharge = createRoute({
  getParentRoute: () => frame,
  path: '/cobrancas/nova',
  validateSearch: textSearch,
  component: lazyPage(() => import('./NewChargePage'), 'NewChargePage'),
})
const charge = createRoute({
  getParentRoute: () => frame,
  path: '/cobrancas/$id',
  component: lazyPage(() => import('./ChargePage'), 'ChargePage'),
})

export const chargeRoutes = [charges, newCharge, charge] as const
