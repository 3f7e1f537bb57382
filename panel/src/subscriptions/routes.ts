import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { textSearch } from '../list/search'

const subscriptions = createRoute({
  getParentRoute: () => frame,
  path: '/assinaturas',
  validateSearch: textSearch,
  component: lazyPage(() => import('./SubscriptionsPage'), 'SubscriptionsPage'),
})
const newSubscription = createRoute({
  getParentRoute: () => frame,
  path: '/assinaturas/nova',
  validateSearch: textSearch,
  component: lazyPage(() => import('./NewSubscriptionPage'), 'NewSubscriptionPage'),
})
const subscription = createRoute({
  getParentRoute: () => frame,
  path: '/assinaturas/$id',
  validateSearch: textSearch,
  component: lazyPage(() => import('./SubscriptionPage'), 'SubscriptionPage'),
})

export const subscriptionRoutes = [subscriptions, newSubscription, subscription] as const
