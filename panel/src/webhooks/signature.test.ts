import { expect, test } from 'vitest'
import { checkSignatures, headersOf } from './signature'

// The example of docs/webhooks.md.
const SECRET = 'whsec_0123456789abcdef0123456789abcdef'
const BODY =
  '{"id":"01981f0e-6f3a-7c1e-9a55-3a1c3f0c9f10","event":"charge.paid","version":"v1","environment":"test","created_at":"2026-11-21T12:00:00+00:00","sequence":1795262400000000,"data":{"customer_name":"José"}}'
const HEADERS = {
  'webhook-id': '01981f0e-6f3a-7c1e-9a55-3a1c3f0c9f10',
  'webhook-timestamp': '1795262400',
  'webhook-signature': 'v1,other v1,T01h0NXPqzZPGWVk6fAIX7s8bbsQvJw068xE1XsS8tY=',
  'X-Service-Signature': '97057b36c38ddfdc6ed1073e0cef1aeeba794e2e2ba054c3e3d2f161dc5be50c',
}

test('both signatures of the documented example match', async () => {
  expect(await checkSignatures(SECRET, HEADERS, BODY)).toEqual({ standard: true, simple: true })
})

test('another secret or another body matches none', async () => {
  const none = { standard: false, simple: false }
  expect(await checkSignatures('whsec_ffff456789abcdef0123456789abcdef', HEADERS, BODY)).toEqual(none)
  expect(await checkSignatures(SECRET, HEADERS, BODY.replace('José', 'Jose'))).toEqual(none)
  expect(await checkSignatures('whsec_não é base64', HEADERS, BODY)).toEqual(none)
  expect(await checkSignatures('x', {}, BODY)).toEqual(none)
})

test('another time matches the signature of the body alone', async () => {
  const later = { ...HEADERS, 'webhook-timestamp': '1795262401' }
  expect(await checkSignatures(SECRET, later, BODY)).toEqual({ standard: false, simple: true })
})

test('headers that are no record are none', () => {
  expect(headersOf(null)).toEqual({})
  expect(headersOf({ a: 1 })).toEqual({ a: '1' })
})
