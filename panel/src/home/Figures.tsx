import { BarChart } from '../ui/BarChart'
import { Card } from '../ui/Card'
import { ErrorNotice } from '../ui/ErrorNotice'
import { dayOf, formatDay, formatInteger, formatMoney, formatShare, formatTotal, storeNow } from '../ui/format'
import css from './HomePage.module.css'
import type { Home } from './queries'
import { homeWords } from './words'

type Totals = { paidCount: number; paidAmount: number }

const average = ({ paidAmount, paidCount }: Totals) => (paidCount > 0 ? formatMoney(paidAmount / paidCount) : '–')

/** What waits for its payment; the number of charges where they are too many to sum. */
const openText = ({ totalAmount, totalCount, totalCapped }: NonNullable<Home['data']['open']>) =>
  totalAmount === null ? formatTotal(totalCount, totalCapped) : formatMoney(totalAmount)

/** What was received in the period, against the same time before, and day by day. */
export function Figures({ home, onRetry }: { home: Home; onRetry: () => void }) {
  const { chargeFigures, issued, issuedAndPaid, open, withdrawalSummary } = home.data
  const error = home.errors.chargeFigures
  if (error) {
    return (
      <Card title={homeWords.received}>
        <ErrorNotice error={error} onRetry={onRetry} />
      </Card>
    )
  }
  if (!chargeFigures) return null
  const { total, previous, steps } = chargeFigures
  const issuedCount = issued?.total.issuedCount ?? 0
  const issuedAndPaidCount = issuedAndPaid?.total.issuedCount ?? 0
  const today = dayOf(storeNow())
  return (
    <Card title={homeWords.received}>
      <dl className={css.figures}>
        <Figure
          term={homeWords.received}
          value={formatMoney(total.paidAmount)}
          before={formatMoney(previous.paidAmount)}
        />
        <Figure
          term={homeWords.paidCharges}
          value={formatInteger(total.paidCount)}
          before={formatInteger(previous.paidCount)}
        />
        <Figure term={homeWords.average} value={average(total)} before={average(previous)} />
        <Figure
          term={homeWords.paidShare}
          value={issuedCount > 0 ? formatShare(issuedAndPaidCount / issuedCount) : '–'}
        />
        {open && <Figure term={homeWords.open} value={openText(open)} />}
        {withdrawalSummary && (
          <Figure term={homeWords.available} value={formatMoney(withdrawalSummary.availableAmount)} />
        )}
      </dl>
      {steps.length > 1 && (
        <BarChart
          title={homeWords.chart}
          table={homeWords.chartTable}
          column={homeWords.day}
          bars={steps.map((step) => {
            const day = dayOf(new Date(step.from))
            const partial = day === today
            const label = partial ? `${formatDay(day)} (${homeWords.untilNow})` : formatDay(day)
            return { label, value: step.paidAmount, text: formatMoney(step.paidAmount), partial }
          })}
        />
      )}
    </Card>
  )
}

function Figure({ term, value, before }: { term: string; value: string; before?: string }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd className={css.value}>{value}</dd>
      {before !== undefined && <dd className={css.before}>{homeWords.versus(before)}</dd>}
    </div>
  )
}
