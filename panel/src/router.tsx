import { createRouter } from '@tanstack/react-router'
import { chargeRoutes } from './charges/routes'
import { Failure } from './frame/Failure'
import { frame, root } from './frame/routes'
import { homeRoutes } from './home/routes'
import { parseSearch, stringifySearch } from './list/search'
import { sessionRoutes } from './session/routes'
import { Skeleton } from './ui/Skeleton'

export const router = createRouter({
  routeTree: root.addChildren([...sessionRoutes, frame.addChildren([...homeRoutes, ...chargeRoutes])]),
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
