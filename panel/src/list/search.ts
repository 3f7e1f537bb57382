/** The search parameters of a list: its filters, `q` and `order`, under the names of GraphQL. */
export type ListSearch = { [name: string]: string | undefined }

/** Reads the known parameters of an address, for `validateSearch`. */
export function searchOf(names: readonly string[]): (search: Record<string, unknown>) => ListSearch {
  return (search) => {
    const known = names.map((name) => [name, search[name]] as const)
    return Object.fromEntries(
      known.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''),
    )
  }
}

export type FilterField = {
  name: string
  label: string
  kind: 'text' | 'date' | 'money' | 'choice'
  options?: readonly { value: string; label: string }[]
}

/**
 * The filter of a GraphQL list: all parameters except `order`. Amounts become numbers; the gateway takes a date as the
 * whole day.
 */
export function filterOf(search: ListSearch, fields: readonly FilterField[]): Record<string, string | number> {
  const filter: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || name === 'order') continue
    const money = fields.some((field) => field.name === name && field.kind === 'money')
    filter[name] = money ? Number(value) : value
  }
  return filter
}

/** The filters that are set, except `q` and the tab's. */
export function activeFilters(search: ListSearch, fields: readonly FilterField[]): FilterField[] {
  return fields.filter((field) => search[field.name] !== undefined)
}

/** Plain parameters, unlike the router's JSON: `?q=123` is a text. */
export const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

export function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const text = new URLSearchParams(entries).toString()
  return text && `?${text}`
}
