/** Which of the two signatures of a webhook were made with the secret. */
export type Verdict = { standard: boolean; simple: boolean }

const PREFIX = 'whsec_'

/**
 * Check `webhook-signature` and `X-Service-Signature` of what was sent. The first one's key is what follows `whsec_`, as
 * base64; the second one's is the whole text of the secret.
 */
export async function checkSignatures(
  secret: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<Verdict> {
  const value = headerReader(headers)
  const signed = `${value('webhook-id')}.${value('webhook-timestamp')}.${body}`
  const key = decodeBase64(secret.slice(PREFIX.length))
  const standard = key && `v1,${btoa(String.fromCharCode(...(await hmac(key, signed))))}`
  const simple = toHex(await hmac(new TextEncoder().encode(secret), body))
  return {
    standard: standard !== null && value('webhook-signature').split(' ').includes(standard),
    simple: value('x-service-signature') === simple,
  }
}

/** Texts by header name, of the API's JSON. */
export function headersOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
}

function headerReader(headers: Readonly<Record<string, string>>): (name: string) => string {
  const lower = new Map(Object.entries(headers).map(([name, text]) => [name.toLowerCase(), text]))
  return (name) => lower.get(name) ?? ''
}

async function hmac(secret: Uint8Array<ArrayBuffer>, text: string): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text)))
}

/** The bytes of a base64 text; null of any other or an empty one, which is no key. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.replace(/=+$/, '').length % 4 === 1) return null
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
