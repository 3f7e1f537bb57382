import type { ReactNode } from 'react'
import { Card } from './Card'
import { ErrorNotice } from './ErrorNotice'
import { Skeleton } from './Skeleton'
import { type Column, Table } from './Table'

type Props<Row> = {
  title: string
  /** The way to the whole list. */
  all: ReactNode
  pending?: boolean
  error: Error | null | undefined
  onRetry: () => unknown
  /** In place of no rows. */
  empty: ReactNode
  /** Above the rows, such as their total. */
  summary?: ReactNode
  columns: readonly Column<Row>[]
  rows: readonly Row[]
}

/** The last rows of a list as a card, and the way to all of them. */
export function TableCard<Row extends { id: string }>(props: Props<Row>) {
  const { title, all, pending = false, error, onRetry, empty, summary, columns, rows } = props
  return (
    <Card title={title} actions={rows.length > 0 && all}>
      {pending && <Skeleton />}
      {error && <ErrorNotice error={error} onRetry={onRetry} />}
      {!pending && !error && rows.length === 0 && empty}
      {rows.length > 0 && (
        <>
          {summary}
          <Table caption={title} columns={columns} rows={rows} />
        </>
      )}
    </Card>
  )
}
