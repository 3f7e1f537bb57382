import { expect, test } from 'vitest'
import { later } from './later'

test('steps of the clock', () => {
  expect(later('2026-11-28T12:00:00Z', 'day')).toBe('2026-11-29T12:00:00.000Z')
  expect(later('2026-11-28T12:00:00Z', 'week')).toBe('2026-12-05T12:00:00.000Z')
  expect(later('2026-11-28T12:00:00Z', 'month')).toBe('2026-12-28T12:00:00.000Z')
  expect(later('2027-01-31T12:00:00Z', 'month')).toBe('2027-02-28T12:00:00.000Z')
})
