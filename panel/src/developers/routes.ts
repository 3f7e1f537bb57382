import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { textSearch } from '../list/search'

/** The parent of the developers' pages, with their menu. */
export const developers = createRoute({
  getParentRoute: () => frame,
  id: 'developers',
  component: lazyPage(() => import('./DevelopersFrame'), 'DevelopersFrame'),
})

export const quickStart = createRoute({
  getParentRoute: () => developers,
  path: '/dev',
  validateSearch: textSearch,
  component: lazyPage(() => import('./QuickStartPage'), 'QuickStartPage'),
})
