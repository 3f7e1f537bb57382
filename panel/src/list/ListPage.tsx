import type { ReactNode } from 'react'
import type { Connection } from '../api/useConnection'
import { Button } from '../ui/Button'
import { Empty } from '../ui/Empty'
import { ErrorNotice } from '../ui/ErrorNotice'
import { formatMoney, formatTotal } from '../ui/format'
import { Heading } from '../ui/Heading'
import { Skeleton } from '../ui/Skeleton'
import { type Column, Table } from '../ui/Table'
import { ExportButton } from './ExportButton'
import type { ExportedFile } from './exportedFile'
import { FilterBar, type FilterBarProps } from './FilterBar'
import css from './ListPage.module.css'
import { usePages } from './usePages'
import { useRowShortcuts } from './useRowShortcuts'
import { listWords } from './words'

type Props<Row> = Omit<FilterBarProps, 'tools'> & {
  title: string
  /** The button that creates a row, if the caller may. */
  action?: ReactNode
  /** What the rows sum up to. */
  summary?: ReactNode
  list: Connection<Row>
  columns: readonly Column<Row>[]
  /** For callers that may export. */
  file?: ExportedFile | false
  /** What the list is for, while it has no rows at all, and the part of `/docs` about it. */
  empty: { title: string; lead?: string; docs?: string }
}

/** A list with its filters in the address, as a page. */
export function ListPage<Row extends { id: string }>({ action, summary, ...list }: Props<Row>) {
  return (
    <>
      <div className={css.head}>
        <Heading title={list.title} />
        {action}
      </div>
      {summary}
      <List {...list} />
    </>
  )
}

type ListProps<Row> = Omit<Props<Row>, 'action' | 'summary'>

/** Tabs, search, chips, rows and their total, as a part of a page. */
export function List<Row extends { id: string }>({ title, list, columns, empty, file, ...bar }: ListProps<Row>) {
  const filtered = Object.keys(bar.search).some((name) => name !== 'order')
  return (
    <>
      <FilterBar
        {...bar}
        tools={
          file && list.rows.length > 0 && <ExportButton {...bar} file={file} total={list.total} capped={list.capped} />
        }
      />
      {list.error !== null && !list.failedMore && <ErrorNotice error={list.error} onRetry={list.reload} />}
      {list.loading && <Skeleton lines={6} />}
      {(list.fresh > 0 || list.changed) && (
        <Button variant="plain" onClick={list.reload}>
          {list.fresh > 0 ? listWords.fresh(list.fresh) : listWords.changed}
        </Button>
      )}
      {list.pages > 0 && (
        <Rows title={title} list={list} columns={columns} empty={empty} filtered={filtered} onSearch={bar.onSearch} />
      )}
    </>
  )
}

type RowsProps<Row> = Pick<Props<Row>, 'title' | 'list' | 'columns' | 'empty' | 'onSearch'> & { filtered: boolean }

function Rows<Row extends { id: string }>({ title, list, columns, empty, filtered, onSearch }: RowsProps<Row>) {
  const showMore = usePages(list)
  const holder = useRowShortcuts<HTMLDivElement>()
  if (list.rows.length === 0) {
    if (!filtered) {
      return (
        <Empty title={empty.title}>
          {empty.lead && <p>{empty.lead}</p>}
          {empty.docs && <a href={`/docs#${empty.docs}`}>{listWords.docs}</a>}
        </Empty>
      )
    }
    return (
      <Empty title={listWords.nothingFound}>
        <Button variant="plain" onClick={() => onSearch({})}>
          {listWords.clearFilters}
        </Button>
      </Empty>
    )
  }
  return (
    <>
      <p className={css.total} role="status">
        {listWords.total(formatTotal(list.total, list.capped))}
        {list.amount !== null && ` · ${listWords.sum(formatMoney(list.amount))}`}
      </p>
      <div ref={holder}>
        <Table caption={title} columns={columns} rows={list.rows} />
      </div>
      {list.failedMore && <ErrorNotice error={list.error} onRetry={showMore} />}
      {list.hasMore && !list.failedMore && (
        <Button variant="plain" busy={list.loadingMore} onClick={showMore}>
          {listWords.more}
        </Button>
      )}
    </>
  )
}
