import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { ListSearch } from './search'

/** The search parameters of this list's address, and a function that changes them. */
export function useListSearch(): [ListSearch, (search: ListSearch) => void] {
  const search: ListSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const change = useCallback((next: ListSearch) => void navigate({ to: '.', search: next, replace: true }), [navigate])
  return [search, change]
}
