import { expect, test } from 'vitest'
import { codeOfHash } from './hash'

test.each([
  ['', ''],
  ['#um%20c%C3%B3digo', 'um código'],
  ['#%E0%A4%A', ''],
])('the code of %s is «%s»', (hash, code) => {
  expect(codeOfHash(hash)).toBe(code)
})
