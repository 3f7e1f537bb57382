import { useInfiniteQuery } from '@tanstack/react-query'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { ExportButton } from '../list/ExportButton'
import { exportedFile } from '../list/exportedFile'
import { FilterBar } from '../list/FilterBar'
import { activeFilters } from '../list/filterOf'
import type { ListSearch } from '../list/search'
import { shownFilter } from '../list/shownFilter'
import { useListSearch } from '../list/useListSearch'
import { listWords } from '../list/words'
import { PrintButton } from '../sheet/PrintButton'
import { SheetHead } from '../sheet/SheetHead'
import { Button } from '../ui/Button'
import { Empty } from '../ui/Empty'
import { ErrorNotice } from '../ui/ErrorNotice'
import { formatInteger, timeZone } from '../ui/format'
import { Heading } from '../ui/Heading'
import { Skeleton } from '../ui/Skeleton'
import { Table } from '../ui/Table'
import { BalanceNav } from './BalanceNav'
import { STATEMENT_FILTERS } from './filters'
import { STATEMENT_COLUMNS } from './statementColumns'
import { statementExportColumns, statementWords } from './words'

const STATEMENT = graphql(`
  query Statement($first: Int, $after: String, $from: DateTime, $to: DateTime, $timeZone: String!) {
    statement(first: $first, after: $after, from: $from, to: $to, timeZone: $timeZone) {
      pageInfo { endCursor hasNextPage }
      edges {
        cursor
        node {
          at kind amount balanceAfter
          charge { id description customerName }
          refund { id charge { id description customerName } }
          withdrawal { id pixKey pixKeyType }
          repayment { id paidFrom paidTo }
        }
      }
    }
  }
`)

const EXPORT = graphql(`
  mutation ExportStatement($from: DateTime, $to: DateTime, $timeZone: String!, $format: ExportFormat!, $columns: [StatementColumn!]) {
    exportStatement(from: $from, to: $to, timeZone: $timeZone, format: $format, columns: $columns) { url }
  }
`)

/** What changed the balance, with the balance after each entry. */
export function StatementPage() {
  const [search, onSearch] = useListSearch({ filters: STATEMENT_FILTERS })
  const can = useCan()
  const period = { from: search.from ?? null, to: search.to ?? null, timeZone: timeZone() }
  const statement = useInfiniteQuery({
    queryKey: ['balance', 'statement', search],
    queryFn: async ({ pageParam, signal }) => {
      const variables = { first: 50, after: pageParam, ...period }
      return present((await request(STATEMENT, variables, { signal })).statement)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null),
  })
  const rows = statement.data?.pages.flatMap(({ edges }) => edges.map(({ cursor, node }) => ({ id: cursor, ...node })))
  const tools = (
    <>
      {can('exportStatement') && (
        <ExportButton
          search={search}
          filters={STATEMENT_FILTERS}
          file={exportedFile(statementExportColumns, async (choice) =>
            present((await request(EXPORT, { ...period, ...choice })).exportStatement),
          )}
        />
      )}
      <PrintButton />
    </>
  )
  return (
    <>
      <BalanceNav />
      <SheetHead about={periodText(search)} />
      <Heading title={statementWords.title} />
      <FilterBar search={search} onSearch={onSearch} filters={STATEMENT_FILTERS} tools={tools} />
      {statement.isPending && <Skeleton lines={6} />}
      {statement.error && <ErrorNotice error={statement.error} onRetry={statement.refetch} />}
      {rows?.length === 0 && <Empty title={statementWords.empty} />}
      {rows && rows.length > 0 && <Table caption={statementWords.title} columns={STATEMENT_COLUMNS} rows={rows} />}
      {statement.hasNextPage && (
        <p className="print-only">{statementWords.partial(formatInteger(rows?.length ?? 0))}</p>
      )}
      {statement.hasNextPage && (
        <Button variant="plain" busy={statement.isFetchingNextPage} onClick={() => void statement.fetchNextPage()}>
          {listWords.more}
        </Button>
      )}
    </>
  )
}

/** The period that the address asks for, in words. */
const periodText = (search: ListSearch): string =>
  activeFilters(search, STATEMENT_FILTERS)
    .map((field) => shownFilter(field, search[field.name] ?? ''))
    .join(' · ') || statementWords.allTime
