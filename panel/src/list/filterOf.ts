import { timeZone } from '../ui/format'
import type { FilterField, ListSearch } from './search'

/**
 * The filter of a GraphQL list: all parameters except `order`. Amounts and numbers become numbers, flags become true; the
 * gateway takes a date as the whole day in the store's zone, and writes an export's times in it.
 */
export function filterOf(
  search: ListSearch,
  fields: readonly FilterField[],
): Record<string, string | number | boolean> {
  const filter: Record<string, string | number | boolean> = { tz: timeZone() }
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || name === 'order') continue
    const kind = fields.find((field) => field.name === name)?.kind
    filter[name] = kind === 'money' || kind === 'number' ? Number(value) : kind === 'flag' ? true : value
  }
  return filter
}

/** The filters that are set, except `q` and the tab's. */
export function activeFilters(search: ListSearch, fields: readonly FilterField[]): FilterField[] {
  return fields.filter((field) => search[field.name] !== undefined)
}
