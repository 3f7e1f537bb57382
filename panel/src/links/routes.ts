import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'

const links = createRoute({
  getParentRoute: () => frame,
  path: '/links',
  validateSearch: searchOf([
    'q',
    'status',
    'order',
    'createdFrom',
    'createdTo',
    'externalReference',
    'productId',
    'couponId',
  ]),
  component: lazyRouteComponent(() => import('./LinksPage'), 'LinksPage'),
})
const newLink = createRoute({
  getParentRoute: () => frame,
  path: '/links/novo',
  validateSearch: searchOf(['produto']),
  component: lazyRouteComponent(() => import('./NewLinkPage'), 'NewLinkPage'),
})
const link = createRoute({
  getParentRoute: () => frame,
  path: '/links/$id',
  validateSearch: searchOf(['editar']),
  component: lazyRouteComponent(() => import('./LinkPage'), 'LinkPage'),
})

export const linkRoutes = [links, newLink, link] as const
