import { expect, test } from 'vitest'
import { isOwnPath } from './ownPath'

test.each(['/', '/cobrancas?status=paid'])('%s is a path of the panel', (path) => {
  expect(isOwnPath(path)).toBe(true)
})

test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'x', '', null, 7])('%s is none', (path) => {
  expect(isOwnPath(path)).toBe(false)
})
