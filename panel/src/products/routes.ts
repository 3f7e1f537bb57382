import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { textSearch } from '../list/search'

const products = createRoute({
  getParentRoute: () => frame,
  path: '/produtos',
  validateSearch: textSearch,
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
  validateSearch: textSearch,
  component: lazyPage(() => import('./ProductPage'), 'ProductPage'),
})

export const productRoutes = [products, newProduct, product] as const
