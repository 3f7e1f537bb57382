import { expect, test } from 'vitest'
import { formatEvery } from './words'

test('one interval is every one, several are a number of them', () => {
  expect(formatEvery({ interval: 'monthly', intervalCount: 1 })).toBe('Todo mês')
  expect(formatEvery({ interval: 'quarterly', intervalCount: 1 })).toBe('Todo trimestre')
  expect(formatEvery({ interval: 'monthly', intervalCount: 2 })).toBe('A cada 2 meses')
  expect(formatEvery({ interval: 'weekly', intervalCount: 12 })).toBe('A cada 12 semanas')
})
