import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { textSearch } from '../list/search'

const customers = createRoute({
  getParentRoute: () => frame,
  path: '/clientes',
  validateSearch: textSearch,
  component: lazyPage(() => import('./CustomersPage'), 'CustomersPage'),
})
const newCustomer = createRoute({
  getParentRoute: () => frame,
  path: '/clientes/novo',
  component: lazyPage(() => import('./NewCustomerPage'), 'NewCustomerPage'),
})
const customer = createRoute({
  getParentRoute: () => frame,
  path: '/clientes/$id',
  validateSearch: textSearch,
  component: lazyPage(() => import('./CustomerPage'), 'CustomerPage'),
})

export const customerRoutes = [customers, newCustomer, customer] as const
