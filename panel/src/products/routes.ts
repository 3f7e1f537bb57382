import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'

const products = createRoute({
  getParentRoute: () => frame,
  path: '/produtos',
  validateSearch: searchOf(['q', 'status', 'order', 'createdFrom', 'createdTo', 'sku']),
  component: lazyRouteComponent(() => import('./ProductsPage'), 'ProductsPage'),
})
const newProduct = createRoute({
  getParentRoute: () => frame,
  path: '/produtos/novo',
  component: lazyRouteComponent(() => import('./NewProductPage'), 'NewProductPage'),
})
const product = createRoute({
  getParentRoute: () => frame,
  path: '/produtos/$id',
  validateSearch: searchOf(['editar']),
  component: lazyRouteComponent(() => import('./ProductPage'), 'ProductPage'),
})

export const productRoutes = [products, newProduct, product] as const
