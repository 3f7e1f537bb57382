import { type Query, type QueryKey, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { pollingInterval } from './live'

const CHECK_MILLISECONDS = 15_000

/** One page of a GraphQL connection, as every list's document selects it. */
export type Page<Row> = {
  edges: readonly { node: Row }[]
  pageInfo: { endCursor?: string | null; hasNextPage: boolean }
  totalCount: number
  totalCapped: boolean
  /** The sum of all rows, where a list has one and the gateway has counted them all. */
  totalAmount?: number | null
}

export type Connection<Row> = {
  rows: readonly Row[]
  total: number
  capped: boolean
  amount: number | null
  loading: boolean
  error: unknown
  /** Rows that came after the first page was read. */
  fresh: number
  /** Rows left, or the totals changed, after the first page was read. */
  changed: boolean
  pages: number
  hasMore: boolean
  loadingMore: boolean
  /** Whether `error` is that of `loadMore`. */
  failedMore: boolean
  loadMore: () => void
  reload: () => void
}

/**
 * The rows of a list, page by page. The newest page is read again every 15 seconds while the tab is visible. Rows that
 * are shown get its values. New rows are counted, and shown by `reload` only, so that nothing moves while it is read. For
 * the same reason a row that left stays until then.
 */
export function useConnection<Row extends { id: string }>(
  key: QueryKey,
  read: (after: string | null, signal: AbortSignal) => Promise<Page<Row>>,
): Connection<Row> {
  const list = useInfiniteQuery({
    queryKey: [...key, 'list'],
    queryFn: async ({ pageParam, signal }) => ({ ...(await read(pageParam, signal)), readAt: Date.now() }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => (last.pageInfo.hasNextPage ? (last.pageInfo.endCursor ?? null) : null),
    refetchOnWindowFocus: isUnread,
    refetchOnReconnect: isUnread,
  })
  const newest = useQuery({
    queryKey: [...key, 'newest'],
    queryFn: ({ signal }) => read(null, signal),
    enabled: list.data !== undefined,
    refetchInterval: pollingInterval(CHECK_MILLISECONDS),
    staleTime: CHECK_MILLISECONDS,
  })
  const pages = list.data?.pages ?? []
  const first = pages[0]
  const later = first && newest.dataUpdatedAt > first.readAt ? newest.data : undefined
  const edges = later?.edges ?? []
  const current = new Map(edges.map(({ node }) => [node.id, node]))
  const rows = pages.flatMap((page) => page.edges.map(({ node }) => current.get(node.id) ?? node))
  const known = new Set(rows.map((row) => row.id))
  return {
    rows,
    total: first?.totalCount ?? 0,
    capped: first?.totalCapped ?? false,
    amount: first?.totalAmount ?? null,
    loading: list.isPending,
    error: list.error,
    fresh: edges.filter(({ node }) => !known.has(node.id)).length,
    changed: later !== undefined && (later.totalCount !== first?.totalCount || later.totalAmount !== first.totalAmount),
    pages: pages.length,
    hasMore: list.hasNextPage,
    loadingMore: list.isFetchingNextPage,
    failedMore: list.isFetchNextPageError,
    loadMore: () => void list.fetchNextPage(),
    reload: () => void list.refetch(),
  }
}

/** A list stays as it was read: `newest` finds what changed. */
const isUnread = ({ state }: Pick<Query, 'state'>) => state.data === undefined
