import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { Failure, NotFound } from './frame/Failure'
import { LoginPage } from './session/LoginPage'
import { currentSession } from './session/session'
import { words } from './words/pt-BR'

const root = createRootRoute({ notFoundComponent: NotFound })

// The login is part of the first chunk, so that it works after a deploy that removed the others.
const login = createRoute({
  getParentRoute: () => root,
  path: '/entrar',
  validateSearch: ({ voltar }): { voltar?: string } => (isOwnPath(voltar) ? { voltar } : {}),
  component: LoginPage,
})
const register = createRoute({
  getParentRoute: () => root,
  path: '/cadastro',
  component: lazyRouteComponent(() => import('./session/RegisterPage'), 'RegisterPage'),
})
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/senha',
  component: lazyRouteComponent(() => import('./session/ForgotPasswordPage'), 'ForgotPasswordPage'),
})
const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/senha/nova',
  component: lazyRouteComponent(() => import('./session/NewPasswordPage'), 'NewPasswordPage'),
})
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  beforeLoad: ({ location }) => {
    if (currentSession()) return
    throw redirect({ to: '/entrar', search: location.pathname === '/' ? {} : { voltar: location.href }, replace: true })
  },
  component: lazyRouteComponent(() => import('./frame/Frame'), 'Frame'),
})
const home = createRoute({
  getParentRoute: () => frame,
  path: '/',
  component: lazyRouteComponent(() => import('./home/HomePage'), 'HomePage'),
})

export const router = createRouter({
  routeTree: root.addChildren([login, register, forgotPassword, newPassword, frame.addChildren([home])]),
  basepath: '/painel',
  defaultErrorComponent: Failure,
  defaultPendingComponent: () => <p>{words.loading}</p>,
  defaultPendingMs: 150,
})

/** Whether it is a path of the panel, and no address of another site. */
export function isOwnPath(value: unknown): value is string {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value)
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
