import { createRoute } from '@tanstack/react-router'
import { developers } from '../developers/routes'
import { lazyPage } from '../frame/lazyPage'

const clock = createRoute({
  getParentRoute: () => developers,
  path: '/dev/relogio',
  component: lazyPage(() => import('./ClockPage'), 'ClockPage'),
})

export const clockRoutes = [clock] as const
