import { Link } from '@tanstack/react-router'
import { chargeColumns } from '../charges/columns'
import { Card } from '../ui/Card'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Table } from '../ui/Table'
import type { Home } from './queries'
import { homeWords } from './words'

export function LastCharges({ home, onRetry }: { home: Home; onRetry: () => void }) {
  const rows = home.data.charges?.edges.map((edge) => edge.node) ?? []
  const error = home.errors.charges
  const all = (
    <Link to="/cobrancas" search={{}}>
      {homeWords.allCharges}
    </Link>
  )
  return (
    <Card title={homeWords.lastCharges} actions={all}>
      {error && <ErrorNotice error={error} onRetry={onRetry} />}
      {!error && rows.length === 0 && <p>{homeWords.nothingYet}</p>}
      {rows.length > 0 && <Table caption={homeWords.lastCharges} columns={chargeColumns} rows={rows} />}
    </Card>
  )
}
