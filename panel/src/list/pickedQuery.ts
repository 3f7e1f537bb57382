import { queryOptions, skipToken } from '@tanstack/react-query'
import type { PickSource } from '../ui/PickField'

/** The record of an id that a filter has. */
export const pickedQuery = (source: PickSource | undefined, id: string) =>
  queryOptions({
    queryKey: ['pick', source?.of, 'one', id],
    queryFn: source && id ? ({ signal }) => source.read(id, signal) : skipToken,
  })
