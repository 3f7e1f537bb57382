import { useQuery } from '@tanstack/react-query'
import { pickedQuery } from './pickedQuery'
import type { FilterField } from './search'
import { shownFilter } from './shownFilter'

/** A filter that is set, in words: a record by its name. */
export function FilterText({ field, value }: { field: FilterField; value: string }) {
  const { data: picked } = useQuery(pickedQuery(field.source, value))
  return picked ? `${field.label}: ${picked.label}` : shownFilter(field, value)
}
