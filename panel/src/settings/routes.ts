import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { frame } from '../frame/routes'

const settings = createRoute({
  getParentRoute: () => frame,
  path: '/ajustes',
  beforeLoad: () => {
    throw redirect({ to: '/ajustes/conta', replace: true })
  },
})
const store = createRoute({
  getParentRoute: () => frame,
  path: '/ajustes/loja',
  component: lazyRouteComponent(() => import('./StorePage'), 'StorePage'),
})
const production = createRoute({
  getParentRoute: () => frame,
  path: '/ajustes/producao',
  component: lazyRouteComponent(() => import('./ProductionPage'), 'ProductionPage'),
})
const receiving = createRoute({
  getParentRoute: () => frame,
  path: '/ajustes/recebimento',
  component: lazyRouteComponent(() => import('./ReceivingPage'), 'ReceivingPage'),
})
const account = createRoute({
  getParentRoute: () => frame,
  path: '/ajustes/conta',
  component: lazyRouteComponent(() => import('./AccountPage'), 'AccountPage'),
})
const security = createRoute({
  getParentRoute: () => frame,
  path: '/ajustes/seguranca',
  component: lazyRouteComponent(() => import('./SecurityPage'), 'SecurityPage'),
})

export const settingsRoutes = [settings, store, production, receiving, account, security] as const
