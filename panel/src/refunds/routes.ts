import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { textSearch } from '../list/search'

const refunds = createRoute({
  getParentRoute: () => frame,
  path: '/saldo/devolucoes',
  validateSearch: textSearch,
  component: lazyPage(() => import('./RefundsPage'), 'RefundsPage'),
})

export const refundRoutes = [refunds] as const
