import { Link } from '@tanstack/react-router'
import { SectionNav } from '../ui/SectionNav'
import { balanceWords } from './words'

export function BalanceNav() {
  return (
    <SectionNav label={balanceWords.title}>
      <Link to="/saldo" activeOptions={{ exact: true }}>
        {balanceWords.overview}
      </Link>
      <Link to="/saldo/extrato" search={{}} activeOptions={{ includeSearch: false }}>
        {balanceWords.statement}
      </Link>
      <Link to="/saldo/saques" search={{}} activeOptions={{ exact: true, includeSearch: false }}>
        {balanceWords.withdrawals}
      </Link>
      <Link to="/saldo/repasses" search={{}} activeOptions={{ exact: true, includeSearch: false }}>
        {balanceWords.repayments}
      </Link>
      <Link to="/devolucoes" search={{}} activeOptions={{ exact: true, includeSearch: false }}>
        {balanceWords.refunds}
      </Link>
    </SectionNav>
  )
}
