import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'

const refunds = createRoute({
  getParentRoute: () => frame,
  path: '/devolucoes',
  validateSearch: searchOf(['q', 'status', 'order', 'createdFrom', 'createdTo', 'externalReference', 'chargeId']),
  component: lazyRouteComponent(() => import('./RefundsPage'), 'RefundsPage'),
})

export const refundRoutes = [refunds] as const
