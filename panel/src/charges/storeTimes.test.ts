import { expect, test } from 'vitest'
import { storeTimes } from './storeTimes'

const RECORDS = [
  { action: 'charge.created', createdAt: '2026-11-28T12:00:00Z' },
  { action: 'charge.sent', createdAt: '2026-11-28T12:01:00Z' },
  { action: 'charge.paid', createdAt: '2026-11-28T12:02:00Z' },
]
const CHARGE = {
  environment: 'test',
  createdAt: '2026-12-28T12:00:00Z',
  paidAt: '2027-01-28T12:02:00Z',
  expiresAt: '2027-02-28T12:00:00Z',
} as const

test('real times are shown by the clock of the charge in a test', () => {
  const storeTime = storeTimes(RECORDS, CHARGE)
  expect(storeTime('2026-11-28T12:00:00Z')).toBe('2026-12-28T12:00:00.000Z')
  expect(storeTime('2026-11-28T12:01:00Z')).toBe('2026-12-28T12:01:00.000Z')
  expect(storeTime('2026-11-28T12:03:00Z')).toBe('2027-01-28T12:03:00.000Z')
})

test('real times stay, where no clock is moved', () => {
  expect(storeTimes(RECORDS, { ...CHARGE, environment: 'live' })('2026-11-28T12:00:00Z')).toBe('2026-11-28T12:00:00Z')
  expect(storeTimes([], CHARGE)('2026-11-28T12:00:00Z')).toBe('2026-11-28T12:00:00.000Z')
})
