import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
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
  component: lazyRouteComponent(() => import('./SubscriptionsPage'), 'SubscriptionsPage'),
})
const newSubscription = createRoute({
  getParentRoute: () => frame,
  path: '/assinaturas/nova',
  validateSearch: searchOf(['cliente']),
  component: lazyRouteComponent(() => import('./NewSubscriptionPage'), 'NewSubscriptionPage'),
})
const subscription = createRoute({
  getParentRoute: () => frame,
  path: '/assinaturas/$id',
  validateSearch: searchOf(['editar']),
  component: lazyRouteComponent(() => import('./SubscriptionPage'), 'SubscriptionPage'),
})

export const subscriptionRoutes = [subscriptions, newSubscription, subscription] as const
