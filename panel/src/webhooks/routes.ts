import { createRoute } from '@tanstack/react-router'
import { developers } from '../developers/routes'
import { lazyPage } from '../frame/lazyPage'
import { textSearch } from '../list/search'

const endpoints = createRoute({
  getParentRoute: () => developers,
  path: '/dev/webhooks',
  validateSearch: textSearch,
  component: lazyPage(() => import('./EndpointsPage'), 'EndpointsPage'),
})
const newEndpoint = createRoute({
  getParentRoute: () => developers,
  path: '/dev/webhooks/novo',
  component: lazyPage(() => import('./NewEndpointPage'), 'NewEndpointPage'),
})
const endpoint = createRoute({
  getParentRoute: () => developers,
  path: '/dev/webhooks/$id',
  validateSearch: textSearch,
  component: lazyPage(() => import('./EndpointPage'), 'EndpointPage'),
})
const delivery = createRoute({
  getParentRoute: () => developers,
  path: '/dev/webhooks/$id/entregas/$deliveryId',
  component: lazyPage(() => import('./DeliveryPage'), 'DeliveryPage'),
})

export const webhookRoutes = [endpoints, newEndpoint, endpoint, delivery] as const
