import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { readInvitationCode } from './code'

const invitation = createRoute({
  getParentRoute: () => frame,
  path: '/convite',
  component: lazyPage(() => import('./InvitationPage'), 'InvitationPage'),
})

export const invitationRoutes = [invitation] as const

// Before the login takes the address along, so that the code is in no address that the gateway sees.
if (location.pathname.endsWith('/convite')) readInvitationCode()
