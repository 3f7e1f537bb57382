import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'

const subscriptions = createRoute({
  getParentRoute: () => frame,
  path: '/assinaturas',
  validateSearch: searchOf([
    'q',
    'status',
    'order',
    'failing',
    'interval',
    'intervalCount',
    'nextBillingFrom',
    'nextBillingTo',
    'createdFrom',
    'createdTo',
    'externalReference',
    'customerId',
  ]),
  component: lazyPage(() => import('./SubscriptionsPage'), 'SubscriptionsPage'),
})
const newSubscription = createRoute({
  getParentRoute: () => frame,
  path: '/assinaturas/nova',
  validateSearch: searchOf(['cliente']),
  component: lazyPage(() => import('./NewSubscriptionPage'), 'NewSubscriptionPage'),
})
const subscription = createRoute({
  getParentRoute: () => frame,
  path: '/assinaturas/$id',
  validateSearch: searchOf(['editar']),
  component: lazyPage(() => import('./SubscriptionPage'), 'SubscriptionPage'),
})

export const subscriptionRoutes = [subscriptions, newSubscription, subscription] as const
