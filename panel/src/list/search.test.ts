import { expect, test } from 'vitest'
import { activeFilters, filterOf } from './filterOf'
import { type FilterField, parseSearch, stringifySearch, textSearch } from './search'

const FIELDS: FilterField[] = [
  { name: 'createdFrom', label: 'Criada desde', kind: 'date' },
  { name: 'amountMin', label: 'Valor mínimo', kind: 'money' },
  { name: 'httpStatus', label: 'Status HTTP', kind: 'number' },
  { name: 'failing', label: 'Com falha', kind: 'flag' },
]

test('an address and the parameters of a list are the same', () => {
  const search = { q: '123', createdFrom: '2026-11-01' }
  expect(stringifySearch(search)).toBe('?q=123&createdFrom=2026-11-01')
  expect(parseSearch('?q=123&createdFrom=2026-11-01')).toEqual(search)
  expect(stringifySearch({ q: undefined })).toBe('')
})

test('parameters that are empty or no text are left out', () => {
  expect(textSearch({ q: 'ana', status: '', createdFrom: undefined, page: 2 })).toEqual({ q: 'ana' })
})

test('the filter has amounts and numbers as numbers, flags as true, and no order', () => {
  const search = { q: 'ana', order: 'amount_desc', amountMin: '12.5', httpStatus: '500', status: 'paid', failing: '1' }
  expect(filterOf(search, FIELDS)).toEqual({
    tz: 'America/Sao_Paulo',
    q: 'ana',
    amountMin: 12.5,
    httpStatus: 500,
    status: 'paid',
    failing: true,
  })
  expect(activeFilters(search, FIELDS).map((field) => field.name)).toEqual(['amountMin', 'httpStatus', 'failing'])
})
