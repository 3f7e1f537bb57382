import { createRoute } from '@tanstack/react-router'
import { developers } from '../developers/routes'
import { lazyPage } from '../frame/lazyPage'
import { textSearch } from '../list/search'

const keys = createRoute({
  getParentRoute: () => developers,
  path: '/dev/chaves',
  validateSearch: textSearch,
  component: lazyPage(() => import('./KeysPage'), 'KeysPage'),
})
const newKey = createRoute({
  getParentRoute: () => developers,
  path: '/dev/chaves/nova',
  component: lazyPage(() => import('./NewKeyPage'), 'NewKeyPage'),
})
const key = createRoute({
  getParentRoute: () => developers,
  path: '/dev/chaves/$id',
  component: lazyPage(() => import('./KeyPage'), 'KeyPage'),
})

export const keyRoutes = [keys, newKey, key] as const
