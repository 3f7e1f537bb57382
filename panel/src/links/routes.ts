import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { textSearch } from '../list/search'

const links = createRoute({
  getParentRoute: () => frame,
  path: '/links',
  validateSearch: textSearch,
  component: lazyPage(() => import('./LinksPage'), 'LinksPage'),
})
const newLink = createRoute({
  getParentRoute: () => frame,
  path: '/links/novo',
  validateSearch: textSearch,
  component: lazyPage(() => import('./NewLinkPage'), 'NewLinkPage'),
})
const link = createRoute({
  getParentRoute: () => frame,
  path: '/links/$id',
  validateSearch: textSearch,
  component: lazyPage(() => import('./LinkPage'), 'LinkPage'),
})

export const linkRoutes = [links, newLink, link] as const
