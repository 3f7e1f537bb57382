import { createRoute } from '@tanstack/react-router'
import { developers } from '../developers/routes'
import { lazyPage } from '../frame/lazyPage'
import { textSearch } from '../list/search'

const events = createRoute({
  getParentRoute: () => developers,
  path: '/dev/eventos',
  validateSearch: textSearch,
  component: lazyPage(() => import('./EventsPage'), 'EventsPage'),
})
const event = createRoute({
  getParentRoute: () => developers,
  path: '/dev/eventos/$id',
  component: lazyPage(() => import('./EventPage'), 'EventPage'),
})

export const eventRoutes = [events, event] as const
