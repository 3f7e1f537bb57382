import { expect, test } from 'vitest'
import { refundableAmount } from './refundable'

test('what is left excludes what is refunded and what is on its way, to the centavo', () => {
  const refunds = [
    { status: 'processing', amount: 0.1 },
    { status: 'rejected', amount: 50 },
    { status: 'completed', amount: 29.9 },
  ] as const
  expect(refundableAmount({ amount: 100.3, refundedAmount: 29.9, refunds })).toBe(70.3)
  expect(refundableAmount({ amount: 10, refundedAmount: 10, refunds: [] })).toBe(0)
})
