import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCan } from '../frame/queries'
import { Card } from '../ui/Card'
import { Empty } from '../ui/Empty'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Heading } from '../ui/Heading'
import { LinkButton } from '../ui/LinkButton'
import { Skeleton } from '../ui/Skeleton'
import { TableCard } from '../ui/TableCard'
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
        <TableCard
          title={balanceWords.last(balanceWords.repayments)}
          all={<Link to="/saldo/repasses">{balanceWords.seeAll}</Link>}
          error={errors.receivedRepayments}
          onRetry={recent.refetch}
          empty={
            <Empty title={balanceWords.noRepayments}>
              <p>{balanceWords.noRepaymentsLead}</p>
            </Empty>
          }
          columns={REPAYMENT_COLUMNS}
          rows={repayments}
        />
      )}
      {(modo !== 'conta_unica' || withdrawals.length > 0) && (
        <TableCard
          title={balanceWords.last(balanceWords.withdrawals)}
          all={<Link to="/saldo/saques">{balanceWords.seeAll}</Link>}
          error={errors.withdrawals}
          onRetry={recent.refetch}
          empty={
            <Empty title={balanceWords.noWithdrawals}>
              <p>{balanceWords.noWithdrawalsLead}</p>
            </Empty>
          }
          columns={WITHDRAWAL_COLUMNS}
          rows={withdrawals}
        />
      )}
    </>
  )
}
