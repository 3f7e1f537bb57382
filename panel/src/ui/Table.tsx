import type { ReactNode } from 'react'
import css from './Table.module.css'

export type Column<Row> = {
  label: string
  cell: (row: Row) => ReactNode
  /** Amounts and counts stand at the right. */
  align?: 'end'
}

type Props<Row> = { caption: string; columns: readonly Column<Row>[]; rows: readonly Row[] }

/** Rows of a list: a table on a desk, cards on a phone. The first cell leads to the row's page. */
export function Table<Row extends { id: string }>({ caption, columns, rows }: Props<Row>) {
  return (
    <table className={css.table}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.label} scope="col" className={column.align && css.end}>
              {column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            {columns.map((column) => (
              <td key={column.label} data-label={column.label} className={column.align && css.end}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
