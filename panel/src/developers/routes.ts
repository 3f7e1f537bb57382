import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'

/** The parent of the developers' pages, with their menu. */
export const developers = createRoute({
  getParentRoute: () => frame,
  id: 'developers',
  component: lazyRouteComponent(() => import('./DevelopersFrame'), 'DevelopersFrame'),
})

export const quickStart = createRoute({
  getParentRoute: () => developers,
  path: '/dev',
  validateSearch: searchOf(['linguagem']),
  component: lazyRouteComponent(() => import('./QuickStartPage'), 'QuickStartPage'),
})
