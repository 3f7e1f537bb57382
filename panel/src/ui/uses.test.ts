import { expect, test } from 'vitest'
import { formatUses } from './uses'

test('uses name their limit', () => {
  expect(formatUses(1200, 5000)).toBe('1.200 de 5.000')
  expect(formatUses(3, null)).toBe('3')
})
