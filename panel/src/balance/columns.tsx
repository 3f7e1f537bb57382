import { Link } from '@tanstack/react-router'
import type { PixKeyType, ReceivedStatus, WithdrawalStatus as Status } from '../api/gql/graphql'
import { dayOf, formatDay, formatInteger } from '../ui/format'
import { Money } from '../ui/Money'
import type { Column } from '../ui/Table'
import { Time } from '../ui/Time'
import { formatPixKey } from './formatPixKey'
import { RepaymentStatus, WithdrawalStatus } from './statuses'
import { repaymentWords, withdrawalWords } from './words'

type WithdrawalRow = {
  id: string
  status: Status
  amount: number
  pixKey: string
  pixKeyType: PixKeyType
  createdAt: string
}

export const WITHDRAWAL_COLUMNS: readonly Column<WithdrawalRow>[] = [
  {
    label: withdrawalWords.key,
    cell: (row) => (
      <Link to="/saldo/saques/$id" params={{ id: row.id }}>
        {formatPixKey(row.pixKeyType, row.pixKey)}
      </Link>
    ),
  },
  { label: withdrawalWords.amount, align: 'end', cell: (row) => <Money value={row.amount} /> },
  { label: withdrawalWords.status, cell: (row) => <WithdrawalStatus status={row.status} /> },
  { label: withdrawalWords.created, cell: (row) => <Time value={row.createdAt} /> },
]

type RepaymentRow = {
  id: string
  status: ReceivedStatus
  netAmount: number
  chargesCount: number
  paidFrom: string
  paidTo: string
}

export const REPAYMENT_COLUMNS: readonly Column<RepaymentRow>[] = [
  {
    label: repaymentWords.period,
    cell: (row) => (
      <Link to="/saldo/repasses/$id" params={{ id: row.id }}>
        {formatPeriod(row.paidFrom, row.paidTo)}
      </Link>
    ),
  },
  { label: repaymentWords.net, align: 'end', cell: (row) => <Money value={row.netAmount} /> },
  { label: repaymentWords.status, cell: (row) => <RepaymentStatus status={row.status} /> },
  { label: repaymentWords.charges, align: 'end', cell: (row) => formatInteger(row.chargesCount) },
]

/** `01/11/2026 a 15/11/2026`. */
export function formatPeriod(from: string, to: string): string {
  const [first, last] = [from, to].map((moment) => formatDay(dayOf(new Date(moment))))
  return first === last ? `${first}` : `${first} a ${last}`
}
