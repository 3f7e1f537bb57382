import { expect, test } from 'vitest'
import { CHARGE_BODY, LANGUAGES, languageOf, sampleOf } from './samples'

test('each language sends the address, the key and the body', () => {
  const request = { address: 'http://127.0.0.1:8000', path: '/pix', key: 'pix_test_1', idempotencyKey: 'p1' }
  for (const { value } of LANGUAGES) {
    const text = sampleOf(value, { ...request, body: CHARGE_BODY })
    for (const part of [
      'http://127.0.0.1:8000/pix',
      'Bearer pix_test_1',
      'Idempotency-Key',
      '"amount": 49.9',
      'João',
    ]) {
      expect(text, value).toContain(part)
    }
  }
})

test('a request without a key of its own has no such header', () => {
  const text = sampleOf('curl', { address: '', path: '/pix', key: 'k', body: {} })
  expect(text).toBe(`curl -sS /pix \\
  -H 'Authorization: Bearer k' \\
  -H 'Content-Type: application/json' \\
  -d '{}'`)
})

test('an unknown language is curl', () => {
  expect(languageOf('python')).toBe('python')
  expect(languageOf('cobol')).toBe('curl')
  expect(languageOf(undefined)).toBe('curl')
})
