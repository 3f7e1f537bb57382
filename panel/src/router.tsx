import { createRouter } from '@tanstack/react-router'
import { balanceRoutes } from './balance/routes'
import { chargeRoutes } from './charges/routes'
import { Failure } from './frame/Failure'
import { frame, root } from './frame/routes'
import { homeRoutes } from './home/routes'
import { parseSearch, stringifySearch } from './list/search'
import { serviceRoutes } from './service/routes'
import { sessionRoutes } from './session/routes'
import { settingsRoutes } from './settings/routes'
import { Skeleton } from './ui/Skeleton'

export const router = createRouter({
  routeTree: root.addChildren([
    ...sessionRoutes,
    frame.addChildren([...homeRoutes, ...chargeRoutes, ...balanceRoutes, ...settingsRoutes, ...serviceRoutes]),
  ]),
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
