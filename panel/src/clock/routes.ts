import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { developers } from '../developers/routes'

const clock = createRoute({
  getParentRoute: () => developers,
  path: '/dev/relogio',
  component: lazyRouteComponent(() => import('./ClockPage'), 'ClockPage'),
})

export const clockRoutes = [clock] as const
