import { createRoute, redirect } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
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
  component: lazyPage(() => import('./StorePage'), 'StorePage'),
})
const production = createRoute({
  getParentRoute: () => frame,
  path: '/ajustes/producao',
  component: lazyPage(() => import('./ProductionPage'), 'ProductionPage'),
})
const receiving = createRoute({
  getParentRoute: () => frame,
  path: '/ajustes/recebimento',
  component: lazyPage(() => import('./ReceivingPage'), 'ReceivingPage'),
})
const account = createRoute({
  getParentRoute: () => frame,
  path: '/ajustes/conta',
  component: lazyPage(() => import('./AccountPage'), 'AccountPage'),
})
const security = createRoute({
  getParentRoute: () => frame,
  path: '/ajustes/seguranca',
  component: lazyPage(() => import('./SecurityPage'), 'SecurityPage'),
})

export const settingsRoutes = [settings, store, production, receiving, account, security] as const
