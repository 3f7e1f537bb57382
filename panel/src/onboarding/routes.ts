import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'

const onboarding = createRoute({
  getParentRoute: () => frame,
  path: '/comecar',
  component: lazyPage(() => import('./OnboardingPage'), 'OnboardingPage'),
})

export const onboardingRoutes = [onboarding] as const
