import { expect, test } from 'vitest'
import { setTimeZone } from './format'
import { changedFields, dayEnd, dayStart, dayText, moneyOf, moneyText, numberOf, textOf } from './values'

test('empty fields are null', () => {
  expect([textOf('  '), moneyOf(''), numberOf(''), dayEnd('', null), textOf(undefined)]).toEqual(Array(5).fill(null))
  expect([textOf(' a '), moneyOf('1.290,00'), numberOf('12,5')]).toEqual(['a', 1290, 12.5])
  expect([moneyText(12.9), moneyText(null), dayText(null)]).toEqual(['12.90', '', ''])
})

test('an instant stays while its day in São Paulo does', () => {
  const before = '2026-11-29T02:59:59Z'
  expect(dayText(before)).toBe('2026-11-28')
  expect(dayEnd('2026-11-28', before)).toBe(before)
  expect(dayEnd('2026-11-29', before)).toBe('2026-11-29')
})

test('a day begins and ends in the zone of the store', () => {
  setTimeZone('America/Noronha')
  expect(dayText('2026-11-29T01:59:59Z')).toBe('2026-11-28')
  expect(dayStart('2026-11-28')).toBe('2026-11-28T00:00:00-02:00')
  expect(dayEnd('2026-11-28', null)).toBe('2026-11-28T23:59:59.999999-02:00')
  setTimeZone('America/Sao_Paulo')
  expect(dayStart('2026-11-28')).toBe('2026-11-28')
})

test('only changed fields are sent', () => {
  const before = { id: 'x', title: 'Curso', productIds: ['a'], maxUses: undefined }
  expect(changedFields({ title: 'Curso', productIds: ['a'], maxUses: null }, before)).toEqual({})
  expect(changedFields({ title: null, productIds: ['a', 'b'], maxUses: 3 }, before)).toEqual({
    title: null,
    productIds: ['a', 'b'],
    maxUses: 3,
  })
})
