import { expect, test } from 'vitest'
import { couponState, formatDiscount } from './state'

const NOW = new Date('2026-11-28T12:00:00Z')
const COUPON = { isActive: true, startsAt: null, expiresAt: null, maxUses: null, usesCount: 3 }

test('the state of a coupon is a sentence', () => {
  const text = (changes: object) => couponState({ ...COUPON, ...changes }, NOW).text
  expect(text({})).toBe('Valendo')
  expect(text({ expiresAt: '2026-12-01T02:59:59Z' })).toBe('Vale até 30/11/2026')
  expect(text({ startsAt: '2026-12-01T03:00:00Z' })).toBe('Começa em 01/12/2026')
  expect(text({ isActive: false })).toBe('Desativado')
  expect(text({ isActive: false, maxUses: 3 })).toBe('Esgotado')
  expect(text({ isActive: false, expiresAt: '2026-11-28T02:59:59Z' })).toBe('Venceu em 27/11/2026')
})

test('a discount has its sign', () => {
  expect(formatDiscount('percentage', 12.5)).toBe('12,5%')
  expect(formatDiscount('fixed', 5).replace(/\u00a0/g, ' ')).toBe('R$ 5,00')
})
