import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Connection } from '../api/useConnection'
import type { ListSearch } from './search'

const MAX_PAGES = 20

/** How many pages of a list are shown is in its address. Returns what shows one more. */
export function usePages<Row>(list: Connection<Row>): () => void {
  const wanted = useSearch({ strict: false, select: ({ paginas }: ListSearch) => Number(paginas) || 1 })
  const navigate = useNavigate()
  const { pages, hasMore, loadingMore, loadMore, error } = list
  const missing = hasMore && !loadingMore && error === null && pages < Math.min(wanted, MAX_PAGES)
  useEffect(() => {
    if (missing) loadMore()
  }, [missing, loadMore])

  return () => {
    loadMore()
    const search = (address: ListSearch) => ({ ...address, paginas: String(pages + 1) })
    void navigate({ to: '.', search, replace: true, resetScroll: false })
  }
}
