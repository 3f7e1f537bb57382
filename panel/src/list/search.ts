import type { PickSource } from '../ui/PickField'

/** The search parameters of a list: its filters, `q` and `order`, under the names of GraphQL. */
export type ListSearch = { [name: string]: string | undefined }

/** For `validateSearch`: the parameters of an address that are texts. Each page takes those that it knows. */
export const textSearch = (search: Record<string, unknown>): ListSearch =>
  Object.fromEntries(
    Object.entries(search).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
    ),
  )

export type FilterField = {
  name: string
  label: string
  /** A `flag` is set or not. A `parent` is an id, which is picked from `source`, or only set by another page. */
  kind: 'text' | 'date' | 'money' | 'number' | 'choice' | 'flag' | 'parent'
  options?: Options | undefined
  source?: PickSource
}

/** Whether the dialog of a list can set the filter. */
export const isSettable = ({ kind, source }: FilterField): boolean => kind !== 'parent' || source !== undefined

type Options = readonly { value: string; label: string }[]

/** What a list can be narrowed and sorted by. */
export type ListControls = {
  /** A filter with few values, as tabs. The first tab is all of them, by default «Todas». */
  tabs?: { name: string; label: string; all?: string; options: Options }
  filters: readonly FilterField[]
  /** Without a placeholder the list has no search. */
  placeholder?: string
  orders?: Options
}

/** Plain parameters, unlike the router's JSON: `?q=123` is a text. */
export const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

export function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const text = new URLSearchParams(entries).toString()
  return text && `?${text}`
}
