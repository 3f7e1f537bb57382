import { addDays } from '../ui/format'
import type { FilterField, ListControls, ListSearch } from './search'

export const MAX_TEXT_LENGTH = 200

/** The parameters of an address that a list knows. Links from elsewhere bring others, and values that it can't have. */
export function validSearch(address: ListSearch, { tabs, filters, placeholder, orders }: ListControls): ListSearch {
  const fields: FilterField[] = [...filters]
  if (tabs) fields.push({ ...tabs, kind: 'choice' })
  if (placeholder) fields.push({ name: 'q', label: placeholder, kind: 'text' })
  if (orders) fields.push({ name: 'order', label: '', kind: 'choice', options: orders })
  const valid = fields.filter((field) => isValid(field, address[field.name] ?? ''))
  return Object.fromEntries(valid.map(({ name }) => [name, address[name]]))
}

/** Whether the gateway can take the value. It refuses, not ignores, what it can't read. */
function isValid({ kind, options }: FilterField, value: string): boolean {
  switch (kind) {
    case 'text':
      return value !== '' && value.length <= MAX_TEXT_LENGTH
    case 'date':
      return /^[12]\d{3}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) && addDays(value, 0) === value
    case 'money':
      return /^\d{1,10}(\.\d\d?)?$/.test(value)
    case 'number':
      return /^\d{1,9}$/.test(value)
    case 'choice':
      return value !== '' && (!options || options.some((option) => option.value === value))
    case 'flag':
      return value === '1'
    case 'parent':
      return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)
  }
}
