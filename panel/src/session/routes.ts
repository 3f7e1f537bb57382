import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../frame/routes'
import { LoginPage } from './LoginPage'
import { isOwnPath } from './ownPath'

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
  component: lazyRouteComponent(() => import('./RegisterPage'), 'RegisterPage'),
})
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/senha',
  component: lazyRouteComponent(() => import('./ForgotPasswordPage'), 'ForgotPasswordPage'),
})
const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/senha/nova',
  component: lazyRouteComponent(() => import('./NewPasswordPage'), 'NewPasswordPage'),
})

export const sessionRoutes = [login, register, forgotPassword, newPassword] as const
