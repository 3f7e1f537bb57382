import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { developers } from '../developers/routes'
import { searchOf } from '../list/search'

const keys = createRoute({
  getParentRoute: () => developers,
  path: '/dev/chaves',
  validateSearch: searchOf(['q', 'status', 'environment', 'createdFrom', 'createdTo', 'order']),
  component: lazyRouteComponent(() => import('./KeysPage'), 'KeysPage'),
})
const newKey = createRoute({
  getParentRoute: () => developers,
  path: '/dev/chaves/nova',
  component: lazyRouteComponent(() => import('./NewKeyPage'), 'NewKeyPage'),
})
const key = createRoute({
  getParentRoute: () => developers,
  path: '/dev/chaves/$id',
  component: lazyRouteComponent(() => import('./KeyPage'), 'KeyPage'),
})

export const keyRoutes = [keys, newKey, key] as const
