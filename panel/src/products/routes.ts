import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'

const products = createRoute({
  getParentRoute: () => frame,
  path: '/produtos',
  validateSearch: searchOf(['q', 'status', 'order', 'createdFrom', 'createdTo', 'sku']),
  component: lazyPage(() => import('./ProductsPage'), 'ProductsPage'),
})
const newProduct = createRoute({
  getParentRoute: () => frame,
  path: '/produtos/novo',
  component: lazyPage(() => import('./NewProductPage'), 'NewProductPage'),
})
const product = createRoute({
  getParentRoute: () => frame,
  path: '/produtos/$id',
  validateSearch: searchOf(['editar']),
  component: lazyPage(() => import('./ProductPage'), 'ProductPage'),
})

export const productRoutes = [products, newProduct, product] as const
