import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { isPeriod, type Period } from './period'

const home = createRoute({
  getParentRoute: () => frame,
  path: '/',
  validateSearch: ({ periodo }): { periodo?: Period | undefined } => ({
    periodo: isPeriod(periodo) ? periodo : undefined,
  }),
  component: lazyPage(() => import('./HomePage'), 'HomePage'),
})

export const homeRoutes = [home] as const
