import { formatDay, formatMoney } from '../ui/format'
import type { FilterField } from './search'

/** A filter that is set, in words. */
export function shownFilter(field: FilterField, value: string): string {
  if (field.kind === 'flag' || field.kind === 'parent') return field.label
  return `${field.label}: ${shownValue(field, value)}`
}

function shownValue(field: FilterField, value: string): string {
  if (field.kind === 'money') return formatMoney(Number(value))
  if (field.kind === 'date') return formatDay(value)
  return field.options?.find((option) => option.value === value)?.label ?? value
}
