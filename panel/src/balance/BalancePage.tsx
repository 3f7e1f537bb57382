import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useCan } from '../frame/queries'
import { Card } from '../ui/Card'
import { Empty } from '../ui/Empty'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Heading } from '../ui/Heading'
import { LinkButton } from '../ui/LinkButton'
import { Skeleton } from '../ui/Skeleton'
import { type Column, Table } from '../ui/Table'
import { BalanceNav } from './BalanceNav'
import { BalanceSummary } from './BalanceSummary'
import { REPAYMENT_COLUMNS, WITHDRAWAL_COLUMNS } from './columns'
import { recentQuery, type Summary, summaryQuery } from './queries'
import { balanceWords } from './words'

/** The balance and what left it. Where the service repays its stores, repayments come first. Each part fails alone. */
export function BalancePage() {
  const summary = useQuery(summaryQuery)
  const can = useCan()
  const modo = summary.data?.modo
  return (
    <>
      <BalanceNav />
      <Heading title={balanceWords.title} />
      {summary.isPending && <Skeleton lines={4} />}
      {summary.error && (
        <Card title={balanceWords.available}>
          <ErrorNotice error={summary.error} onRetry={summary.refetch} />
        </Card>
      )}
      {summary.data && <BalanceSummary summary={summary.data} />}
      {modo === 'subconta' && can('requestWithdrawal') && (
        <div>
          <LinkButton to="/saldo/sacar">{balanceWords.withdraw}</LinkButton>
        </div>
      )}
      {!summary.isPending && <Recent modo={modo} />}
    </>
  )
}

/** The last repayments and withdrawals. Without a known mode, both are shown. */
function Recent({ modo }: { modo: Summary['modo'] | undefined }) {
  const recent = useQuery(recentQuery)
  if (recent.isPending) return <Skeleton lines={4} />
  if (recent.error) return <ErrorNotice error={recent.error} onRetry={recent.refetch} />
  const { data, errors } = recent.data
  const withdrawals = data.withdrawals?.edges.map((edge) => edge.node) ?? []
  const repayments = data.receivedRepayments?.edges.map((edge) => edge.node) ?? []
  return (
    <>
      {(modo !== 'subconta' || repayments.length > 0) && (
        <RecentList
          title={balanceWords.last(balanceWords.repayments)}
          all={<Link to="/saldo/repasses">{balanceWords.seeAll}</Link>}
          error={errors.receivedRepayments}
          onRetry={recent.refetch}
          empty={{ title: balanceWords.noRepayments, lead: balanceWords.noRepaymentsLead }}
          columns={REPAYMENT_COLUMNS}
          rows={repayments}
        />
      )}
      {(modo !== 'conta_unica' || withdrawals.length > 0) && (
        <RecentList
          title={balanceWords.last(balanceWords.withdrawals)}
          all={<Link to="/saldo/saques">{balanceWords.seeAll}</Link>}
          error={errors.withdrawals}
          onRetry={recent.refetch}
          empty={{ title: balanceWords.noWithdrawals, lead: balanceWords.noWithdrawalsLead }}
          columns={WITHDRAWAL_COLUMNS}
          rows={withdrawals}
        />
      )}
    </>
  )
}

type RecentProps<Row> = {
  title: string
  all: ReactNode
  error: Error | undefined
  onRetry: () => void
  empty: { title: string; lead: string }
  columns: readonly Column<Row>[]
  rows: readonly Row[]
}

function RecentList<Row extends { id: string }>({
  title,
  all,
  error,
  onRetry,
  empty,
  columns,
  rows,
}: RecentProps<Row>) {
  return (
    <Card title={title} actions={rows.length > 0 && all}>
      {error && <ErrorNotice error={error} onRetry={onRetry} />}
      {!error && rows.length === 0 && (
        <Empty title={empty.title}>
          <p>{empty.lead}</p>
        </Empty>
      )}
      {rows.length > 0 && <Table caption={title} columns={columns} rows={rows} />}
    </Card>
  )
}
