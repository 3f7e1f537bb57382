import { documentTypes, storeWords } from '../settings/words'
import { Card } from '../ui/Card'
import { formatDocument } from '../ui/format'
import { Status } from '../ui/Status'
import { type Column, Table } from '../ui/Table'
import { Time } from '../ui/Time'
import { type Comparison, compareSubmission } from './compare'
import type { Merchant } from './queries'
import { merchantWords } from './words'

const LABELS: Partial<Record<string, string>> = { company: storeWords.company, cnpj: storeWords.cnpj, ...documentTypes }

const COLUMNS: readonly Column<Comparison>[] = [
  { label: merchantWords.item, cell: (row) => LABELS[row.id] ?? row.id },
  { label: merchantWords.submittedValue, cell: (row) => shown(row.id, row.submitted) },
  { label: merchantWords.now, cell: (row) => shown(row.id, row.now) },
  {
    label: merchantWords.result,
    cell: (row) =>
      row.submitted === row.now ? (
        <Status tone="good">{merchantWords.same}</Status>
      ) : (
        <Status tone="bad">{merchantWords.changed}</Status>
      ),
  },
]

/** What the request presented, side by side with what is there now. */
export function SubmissionCard({ merchant }: { merchant: Merchant }) {
  const submission = compareSubmission(merchant)
  return (
    <Card title={merchantWords.submitted}>
      {submission ? (
        <>
          <p>
            {merchantWords.requested}: <Time value={submission.at} />
          </p>
          <Table caption={merchantWords.submitted} columns={COLUMNS} rows={submission.rows} />
        </>
      ) : (
        <p>{merchantWords.never}</p>
      )}
    </Card>
  )
}

function shown(id: string, value: string | null): string {
  if (value === null) return merchantWords.missing
  if (id === 'cnpj') return formatDocument(value)
  return id === 'company' ? value : merchantWords.fingerprint(value)
}
