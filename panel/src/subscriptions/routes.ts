import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'
import { SUBSCRIPTION_SEARCH } from './filters'

const subscriptions = createRoute({
  getParentRoute: () => frame,
  path: '/assinaturas',
  validateSearch: searchOf(SUBSCRIPTION_SEARCH),
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
