import { expect, test } from 'vitest'
import { changedFields, dateOf, dayText, moneyOf, moneyText, numberOf, textOf } from './values'

test('empty fields are null', () => {
  expect([textOf('  '), moneyOf(''), numberOf(''), dateOf('', null), textOf(undefined)]).toEqual(Array(5).fill(null))
  expect([textOf(' a '), moneyOf('1.290,00'), numberOf('12,5')]).toEqual(['a', 1290, 12.5])
  expect([moneyText(12.9), moneyText(null), dayText(null)]).toEqual(['12.90', '', ''])
})

test('an instant stays while its day in São Paulo does', () => {
  const before = '2026-11-29T02:59:59Z'
  expect(dayText(before)).toBe('2026-11-28')
  expect(dateOf('2026-11-28', before)).toBe(before)
  expect(dateOf('2026-11-29', before)).toBe('2026-11-29')
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
