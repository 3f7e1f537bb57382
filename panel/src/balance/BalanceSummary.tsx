import { Card } from '../ui/Card'
import { Facts } from '../ui/Facts'
import { formatInteger } from '../ui/format'
import { Money } from '../ui/Money'
import { Notice } from '../ui/Notice'
import css from './BalanceSummary.module.css'
import type { Summary } from './queries'
import { balanceWords } from './words'

export function BalanceSummary({ summary }: { summary: Summary }) {
  const { modo, availableAmount } = summary
  return (
    <Card title={balanceWords.available}>
      <p className={css.amount}>
        <Money value={availableAmount} />
      </p>
      {availableAmount < 0 && <Notice kind="error">{balanceWords.negative}</Notice>}
      <p className={css.lead}>{modo === 'conta_unica' ? balanceWords.shared : balanceWords.own}</p>
      <Facts
        facts={[
          { term: balanceWords.gross, value: <Money value={summary.grossAmount} /> },
          { term: balanceWords.fees, value: summary.feeAmount > 0 && <Money value={summary.feeAmount} /> },
          { term: balanceWords.net, value: summary.feeAmount > 0 && <Money value={summary.netAmount} /> },
          { term: balanceWords.pending, value: <Money value={summary.pendingAmount} /> },
          { term: balanceWords.withdrawn, value: <Money value={summary.withdrawnAmount} /> },
          { term: balanceWords.charges, value: formatInteger(summary.chargesCount) },
          { term: balanceWords.completed, value: modo === 'subconta' && formatInteger(summary.withdrawalsCount) },
        ]}
      />
    </Card>
  )
}
