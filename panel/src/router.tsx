import { createRouter } from '@tanstack/react-router'
import { balanceRoutes } from './balance/routes'
import { chargeRoutes } from './charges/routes'
import { clockRoutes } from './clock/routes'
import { couponRoutes } from './coupons/routes'
import { customerRoutes } from './customers/routes'
import { developers, quickStart } from './developers/routes'
import { eventRoutes } from './events/routes'
import { Failure } from './frame/Failure'
import { frame, root } from './frame/routes'
import { homeRoutes } from './home/routes'
import { invitationRoutes } from './invitation/routes'
import { keyRoutes } from './keys/routes'
import { linkRoutes } from './links/routes'
import { parseSearch, stringifySearch } from './list/search'
import { onboardingRoutes } from './onboarding/routes'
import { productRoutes } from './products/routes'
import { refundRoutes } from './refunds/routes'
import { serviceRoutes } from './service/routes'
import { sessionRoutes } from './session/routes'
import { settingsRoutes } from './settings/routes'
import { subscriptionRoutes } from './subscriptions/routes'
import { Skeleton } from './ui/Skeleton'
import { webhookRoutes } from './webhooks/routes'

const developerRoutes = developers.addChildren([
  quickStart,
  ...keyRoutes,
  ...webhookRoutes,
  ...eventRoutes,
  ...clockRoutes,
])

const pages = [
  ...homeRoutes,
  ...chargeRoutes,
  ...linkRoutes,
  ...subscriptionRoutes,
  ...customerRoutes,
  ...productRoutes,
  ...couponRoutes,
  ...balanceRoutes,
  ...refundRoutes,
  developerRoutes,
  ...settingsRoutes,
  ...serviceRoutes,
  ...invitationRoutes,
  ...onboardingRoutes,
] as const

export const router = createRouter({
  routeTree: root.addChildren([...sessionRoutes, frame.addChildren(pages)]),
  basepath: '/painel',
  parseSearch,
  stringifySearch,
  defaultErrorComponent: Failure,
  defaultPendingComponent: () => <Skeleton />,
  defaultPendingMs: 150,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
