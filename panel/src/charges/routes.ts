import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'
import { CHARGE_SEARCH } from './filters'

const charges = createRoute({
  getParentRoute: () => frame,
  path: '/cobrancas',
  validateSearch: searchOf(CHARGE_SEARCH),
  component: lazyRouteComponent(() => import('./ChargesPage'), 'ChargesPage'),
})
const newCharge = createRoute({
  getParentRoute: () => frame,
  path: '/cobrancas/nova',
  validateSearch: searchOf(['copiar', 'cliente', 'produto']),
  component: lazyRouteComponent(() => import('./NewChargePage'), 'NewChargePage'),
})
const charge = createRoute({
  getParentRoute: () => frame,
  path: '/cobrancas/$id',
  component: lazyRouteComponent(() => import('./ChargePage'), 'ChargePage'),
})

export const chargeRoutes = [charges, newCharge, charge] as const
