import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'

const refunds = createRoute({
  getParentRoute: () => frame,
  path: '/saldo/devolucoes',
  validateSearch: searchOf(['q', 'status', 'order', 'createdFrom', 'createdTo', 'externalReference', 'chargeId']),
  component: lazyPage(() => import('./RefundsPage'), 'RefundsPage'),
})

export const refundRoutes = [refunds] as const
