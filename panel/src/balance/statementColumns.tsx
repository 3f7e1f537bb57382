import { Link } from '@tanstack/react-router'
import type { StatementQuery } from '../api/gql/graphql'
import { Money } from '../ui/Money'
import type { Column } from '../ui/Table'
import { Time } from '../ui/Time'
import { formatPeriod } from './columns'
import { formatPixKey } from './formatPixKey'
import { statementKinds, statementWords } from './words'

type Entry = NonNullable<StatementQuery['statement']>['edges'][number]['node']

export const STATEMENT_COLUMNS: readonly Column<Entry & { id: string }>[] = [
  { label: statementWords.entry, cell: (entry) => <EntryName entry={entry} /> },
  { label: statementWords.amount, align: 'end', cell: (entry) => <Money value={entry.amount} /> },
  { label: statementWords.at, cell: (entry) => <Time value={entry.at} /> },
  { label: statementWords.after, align: 'end', cell: (entry) => <Money value={entry.balanceAfter} /> },
]

/** The kind, with a link to what it was. */
function EntryName({ entry }: { entry: Entry }) {
  const { kind, amount, withdrawal, repayment } = entry
  const charge = entry.charge ?? entry.refund?.charge
  return (
    <>
      {kind === 'charge_refunded' && amount > 0 ? statementWords.feeBack : statementKinds[kind]}{' '}
      {charge && (
        <Link to="/cobrancas/$id" params={{ id: charge.id }}>
          {charge.customerName ?? charge.description ?? statementWords.charge}
        </Link>
      )}
      {withdrawal && (
        <Link to="/saldo/saques/$id" params={{ id: withdrawal.id }}>
          {formatPixKey(withdrawal.pixKeyType, withdrawal.pixKey)}
        </Link>
      )}
      {repayment && (
        <Link to="/saldo/repasses/$id" params={{ id: repayment.id }}>
          {formatPeriod(repayment.paidFrom, repayment.paidTo)}
        </Link>
      )}
    </>
  )
}
