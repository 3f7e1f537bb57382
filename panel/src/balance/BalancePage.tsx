import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
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
import { recentQuery, summaryQuery } from './queries'
import { balanceWords } from './words'

/** The balance and what left it. Where the service repays its stores, repayments come first. */
export function BalancePage() {
  const { data: summary } = useSuspenseQuery(summaryQuery)
  const can = useCan()
  const shared = summary.modo === 'conta_unica'
  return (
    <>
      <BalanceNav />
      <Heading title={balanceWords.title} />
      <BalanceSummary summary={summary} />
      {!shared && can('requestWithdrawal') && (
        <div>
          <LinkButton to="/saldo/sacar">{balanceWords.withdraw}</LinkButton>
        </div>
      )}
      <Recent shared={shared} />
    </>
  )
}

function Recent({ shared }: { shared: boolean }) {
  const recent = useQuery(recentQuery)
  if (recent.isPending) return <Skeleton lines={4} />
  if (recent.error) return <ErrorNotice error={recent.error} onRetry={recent.refetch} />
  const { data, errors } = recent.data
  const withdrawals = data.withdrawals?.edges.map((edge) => edge.node) ?? []
  const repayments = data.receivedRepayments?.edges.map((edge) => edge.node) ?? []
  return (
    <>
      {(shared || repayments.length > 0) && (
        <RecentList
          title={balanceWords.last(balanceWords.repayments)}
          all={<Link to="/saldo/repasses">{balanceWords.seeAll}</Link>}
          error={errors.receivedRepayments}
          empty={{ title: balanceWords.noRepayments, lead: balanceWords.noRepaymentsLead }}
          columns={REPAYMENT_COLUMNS}
          rows={repayments}
        />
      )}
      {(!shared || withdrawals.length > 0) && (
        <RecentList
          title={balanceWords.last(balanceWords.withdrawals)}
          all={<Link to="/saldo/saques">{balanceWords.seeAll}</Link>}
          error={errors.withdrawals}
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
  empty: { title: string; lead: string }
  columns: readonly Column<Row>[]
  rows: readonly Row[]
}

function RecentList<Row extends { id: string }>({ title, all, error, empty, columns, rows }: RecentProps<Row>) {
  return (
    <Card title={title} actions={rows.length > 0 && all}>
      {error && <ErrorNotice error={error} />}
      {!error && rows.length === 0 && (
        <Empty title={empty.title}>
          <p>{empty.lead}</p>
        </Empty>
      )}
      {rows.length > 0 && <Table caption={title} columns={columns} rows={rows} />}
    </Card>
  )
}
