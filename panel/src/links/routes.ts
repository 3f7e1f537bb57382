import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
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
  component: lazyPage(() => import('./LinksPage'), 'LinksPage'),
})
const newLink = createRoute({
  getParentRoute: () => frame,
  path: '/links/novo',
  validateSearch: searchOf(['produto']),
  component: lazyPage(() => import('./NewLinkPage'), 'NewLinkPage'),
})
const link = createRoute({
  getParentRoute: () => frame,
  path: '/links/$id',
  validateSearch: searchOf(['editar']),
  component: lazyPage(() => import('./LinkPage'), 'LinkPage'),
})

export const linkRoutes = [links, newLink, link] as const
