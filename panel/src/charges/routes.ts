import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'

const charges = createRoute({
  getParentRoute: () => frame,
  path: '/cobrancas',
  validateSearch: searchOf([
    'q',
    'status',
    'order',
    'createdFrom',
    'createdTo',
    'paidFrom',
    'paidTo',
    'amountMin',
    'amountMax',
    'externalReference',
    'paidLate',
    'customerId',
    'productId',
    'couponId',
    'subscriptionId',
    'paymentLinkId',
  ]),
  component: lazyPage(() => import('./ChargesPage'), 'ChargesPage'),
})
const newCharge = createRoute({
  getParentRoute: () => frame,
  path: '/cobrancas/nova',
  validateSearch: searchOf(['copiar', 'cliente', 'produto']),
  component: lazyPage(() => import('./NewChargePage'), 'NewChargePage'),
})
const charge = createRoute({
  getParentRoute: () => frame,
  path: '/cobrancas/$id',
  component: lazyPage(() => import('./ChargePage'), 'ChargePage'),
})

export const chargeRoutes = [charges, newCharge, charge] as const
