import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { root } from '../frame/routes'
import { LoginPage } from './LoginPage'
import { isOwnPath } from './ownPath'

// The login is part of the first chunk, so that it works after a deploy that removed the others.
const login = createRoute({
  getParentRoute: () => root,
  path: '/entrar',
  validateSearch: ({ voltar }): { voltar?: string | undefined } => ({ voltar: isOwnPath(voltar) ? voltar : undefined }),
  component: LoginPage,
})
const register = createRoute({
  getParentRoute: () => root,
  path: '/cadastro',
  component: lazyPage(() => import('./RegisterPage'), 'RegisterPage'),
})
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/senha',
  component: lazyPage(() => import('./ForgotPasswordPage'), 'ForgotPasswordPage'),
})
const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/senha/nova',
  component: lazyPage(() => import('./NewPasswordPage'), 'NewPasswordPage'),
})

export const sessionRoutes = [login, register, forgotPassword, newPassword] as const

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** For the login's form. In the address it would be in the gateway's log. */
    email?: string | undefined
  }
}
