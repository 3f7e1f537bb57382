import { createRouter } from '@tanstack/react-router'
import { chargeRoutes } from './charges/routes'
import { couponRoutes } from './coupons/routes'
import { customerRoutes } from './customers/routes'
import { Failure } from './frame/Failure'
import { frame, root } from './frame/routes'
import { homeRoutes } from './home/routes'
import { linkRoutes } from './links/routes'
import { parseSearch, stringifySearch } from './list/search'
import { productRoutes } from './products/routes'
import { sessionRoutes } from './session/routes'
import { subscriptionRoutes } from './subscriptions/routes'
import { Skeleton } from './ui/Skeleton'

const pages = [
  ...homeRoutes,
  ...chargeRoutes,
  ...linkRoutes,
  ...subscriptionRoutes,
  ...customerRoutes,
  ...productRoutes,
  ...couponRoutes,
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
