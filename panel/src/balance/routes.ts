import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../frame/lazyPage'
import { frame } from '../frame/routes'
import { textSearch } from '../list/search'

const balance = createRoute({
  getParentRoute: () => frame,
  path: '/saldo',
  component: lazyPage(() => import('./BalancePage'), 'BalancePage'),
})
const withdraw = createRoute({
  getParentRoute: () => frame,
  path: '/saldo/sacar',
  component: lazyPage(() => import('./WithdrawPage'), 'WithdrawPage'),
})
const withdrawals = createRoute({
  getParentRoute: () => frame,
  path: '/saldo/saques',
  validateSearch: textSearch,
  component: lazyPage(() => import('./WithdrawalsPage'), 'WithdrawalsPage'),
})
const withdrawal = createRoute({
  getParentRoute: () => frame,
  path: '/saldo/saques/$id',
  component: lazyPage(() => import('./WithdrawalPage'), 'WithdrawalPage'),
})
const repayments = createRoute({
  getParentRoute: () => frame,
  path: '/saldo/repasses',
  validateSearch: textSearch,
  component: lazyPage(() => import('./RepaymentsPage'), 'RepaymentsPage'),
})
const repayment = createRoute({
  getParentRoute: () => frame,
  path: '/saldo/repasses/$id',
  component: lazyPage(() => import('./RepaymentPage'), 'RepaymentPage'),
})
const statement = createRoute({
  getParentRoute: () => frame,
  path: '/saldo/extrato',
  validateSearch: textSearch,
  component: lazyPage(() => import('./StatementPage'), 'StatementPage'),
})

export const balanceRoutes = [balance, statement, withdraw, withdrawals, withdrawal, repayments, repayment] as const
