import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'

/** The parent of the developers' pages, with their menu. */
export const developers = createRoute({
  getParentRoute: () => frame,
  path: '/dev',
  component: lazyRouteComponent(() => import('./DevelopersFrame'), 'DevelopersFrame'),
})

export const quickStart = createRoute({
  getParentRoute: () => developers,
  path: '/',
  validateSearch: searchOf(['linguagem']),
  component: lazyRouteComponent(() => import('./QuickStartPage'), 'QuickStartPage'),
})
