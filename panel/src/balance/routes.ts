import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { frame } from '../frame/routes'
import { searchOf } from '../list/search'

const balance = createRoute({
  getParentRoute: () => frame,
  path: '/saldo',
  component: lazyRouteComponent(() => import('./BalancePage'), 'BalancePage'),
})
const withdraw = createRoute({
  getParentRoute: () => frame,
  path: '/saldo/sacar',
  component: lazyRouteComponent(() => import('./WithdrawPage'), 'WithdrawPage'),
})
const withdrawals = createRoute({
  getParentRoute: () => frame,
  path: '/saldo/saques',
  validateSearch: searchOf(['q', 'status', 'order', 'createdFrom', 'createdTo', 'externalReference']),
  component: lazyRouteComponent(() => import('./WithdrawalsPage'), 'WithdrawalsPage'),
})
const withdrawal = createRoute({
  getParentRoute: () => frame,
  path: '/saldo/saques/$id',
  component: lazyRouteComponent(() => import('./WithdrawalPage'), 'WithdrawalPage'),
})
const repayments = createRoute({
  getParentRoute: () => frame,
  path: '/saldo/repasses',
  validateSearch: searchOf(['status', 'createdFrom', 'createdTo']),
  component: lazyRouteComponent(() => import('./RepaymentsPage'), 'RepaymentsPage'),
})
const repayment = createRoute({
  getParentRoute: () => frame,
  path: '/saldo/repasses/$id',
  component: lazyRouteComponent(() => import('./RepaymentPage'), 'RepaymentPage'),
})
const statement = createRoute({
  getParentRoute: () => frame,
  path: '/saldo/extrato',
  validateSearch: searchOf(['from', 'to']),
  component: lazyRouteComponent(() => import('./StatementPage'), 'StatementPage'),
})

export const balanceRoutes = [balance, statement, withdraw, withdrawals, withdrawal, repayments, repayment] as const
