import { expect, test } from 'vitest'
import { formatCountdown } from './useSecondsLeft'

test.each([
  [300, '5:00'],
  [65, '1:05'],
  [0, '0:00'],
])('%i seconds are left as %s', (seconds, text) => {
  expect(formatCountdown(seconds)).toBe(text)
})
