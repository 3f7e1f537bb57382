import { Link } from '@tanstack/react-router'
import { chargeColumns } from '../charges/columns'
import { TableCard } from '../ui/TableCard'
import type { Home } from './queries'
import { homeWords } from './words'

export function LastCharges({ home, onRetry }: { home: Home; onRetry: () => void }) {
  return (
    <TableCard
      title={homeWords.lastCharges}
      all={
        <Link to="/cobrancas" search={{}}>
          {homeWords.allCharges}
        </Link>
      }
      error={home.errors.charges}
      onRetry={onRetry}
      empty={<p>{homeWords.nothingYet}</p>}
      columns={chargeColumns}
      rows={home.data.charges?.edges.map((edge) => edge.node) ?? []}
    />
  )
}
