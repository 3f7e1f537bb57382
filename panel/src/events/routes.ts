import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { developers } from '../developers/routes'
import { searchOf } from '../list/search'

const events = createRoute({
  getParentRoute: () => developers,
  path: '/dev/eventos',
  validateSearch: searchOf(['q', 'type', 'resourceId', 'createdFrom', 'createdTo', 'order']),
  component: lazyRouteComponent(() => import('./EventsPage'), 'EventsPage'),
})
const event = createRoute({
  getParentRoute: () => developers,
  path: '/dev/eventos/$id',
  component: lazyRouteComponent(() => import('./EventPage'), 'EventPage'),
})

export const eventRoutes = [events, event] as const
