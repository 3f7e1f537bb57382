import { expect, test } from 'vitest'
import { daysOf } from './days'

test('periods end today, in the zone of São Paulo', () => {
  const now = new Date('2026-12-01T02:00:00Z') // 30 November, 23:00, in São Paulo.
  expect(daysOf('hoje', now)).toEqual({ from: '2026-11-30', to: '2026-11-30' })
  expect(daysOf('7', now)).toEqual({ from: '2026-11-24', to: '2026-11-30' })
  expect(daysOf('mes', now)).toEqual({ from: '2026-11-01', to: '2026-11-30' })
})
