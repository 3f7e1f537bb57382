import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { ListControls, ListSearch } from './search'
import { validSearch } from './validSearch'

/** The search parameters of this list's address, and a function that changes them. */
export function useListSearch(controls: ListControls): [ListSearch, (search: ListSearch) => void] {
  const search = useSearch({
    strict: false,
    select: (address: ListSearch) => validSearch(address, controls),
    structuralSharing: true,
  })
  const navigate = useNavigate()
  const change = useCallback((next: ListSearch) => void navigate({ to: '.', search: next, replace: true }), [navigate])
  return [search, change]
}
