import { createRootRoute, createRoute, redirect } from '@tanstack/react-router'
import { currentSession, resumeSession } from '../session/session'
import { NotFound } from './Failure'
import { lazyPage } from './lazyPage'

export const root = createRootRoute({ notFoundComponent: NotFound })

/** The parent of every page that needs a session. */
export const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  beforeLoad: async ({ location }) => {
    if (currentSession() || (await resumeSession())) return
    throw redirect({ to: '/entrar', search: location.pathname === '/' ? {} : { voltar: location.href }, replace: true })
  },
  component: lazyPage(() => import('./Frame'), 'Frame'),
})
