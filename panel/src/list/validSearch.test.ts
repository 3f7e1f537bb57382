import { expect, test } from 'vitest'
import type { ListControls } from './search'
import { validSearch } from './validSearch'

const CONTROLS: ListControls = {
  tabs: { name: 'status', label: 'Situação', options: [{ value: 'paid', label: 'Paga' }] },
  filters: [
    { name: 'createdFrom', label: 'Criada desde', kind: 'date' },
    { name: 'amountMin', label: 'Valor mínimo', kind: 'money' },
    { name: 'httpStatus', label: 'Status HTTP', kind: 'number' },
    { name: 'failing', label: 'Com falha', kind: 'flag' },
    { name: 'customerId', label: 'De um cliente', kind: 'parent' },
    { name: 'sku', label: 'Código', kind: 'text' },
    { name: 'interval', label: 'Período', kind: 'choice', options: [{ value: 'monthly', label: 'Mensal' }] },
    { name: 'event', label: 'Evento', kind: 'choice' },
  ],
  placeholder: 'Nome',
  orders: [{ value: 'amount_desc', label: 'Maior valor' }],
}

test('what a list knows stays', () => {
  const search = {
    status: 'paid',
    createdFrom: '2026-02-28',
    amountMin: '12.5',
    httpStatus: '500',
    failing: '1',
    customerId: '019aa000-0000-7000-8000-00000000000A',
    sku: 'CAN-1',
    interval: 'monthly',
    event: 'charge.paid',
    q: 'ana',
    order: 'amount_desc',
  }
  expect(validSearch(search, CONTROLS)).toEqual(search)
})

test.each([
  ['utm_source', 'whatsapp'],
  ['status', 'xyz'],
  ['status', ''],
  ['order', 'junk'],
  ['createdFrom', 'ontem'],
  ['createdFrom', '2026-02-30'],
  ['createdFrom', '2026-13-01'],
  ['amountMin', 'abc'],
  ['amountMin', '-1'],
  ['amountMin', '1e99'],
  ['httpStatus', '5.5'],
  ['failing', 'talvez'],
  ['customerId', 'x'],
  ['sku', ''],
  ['q', 'a'.repeat(201)],
  ['interval', 'daily'],
])('%s=%s is ignored', (name, value) => {
  expect(validSearch({ [name]: value }, CONTROLS)).toEqual({})
})

test('a list without search, tabs and orders knows none', () => {
  expect(validSearch({ q: 'ana', status: 'paid', order: 'amount_desc' }, { filters: [] })).toEqual({})
})
