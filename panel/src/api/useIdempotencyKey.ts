import { useState } from 'react'

/**
 * A function that returns the `Idempotency-Key` of an input: the same for the same values, so that a form that is sent
 * again after a lost answer acts once; a new one for corrected values.
 */
export function useIdempotencyKey(): (input: unknown) => string {
  const [keys] = useState(() => new Map<string, string>())
  return (input) => {
    const text = JSON.stringify(input)
    const key = keys.get(text) ?? randomKey()
    keys.set(text, key)
    return key
  }
}

/** `crypto.randomUUID` is missing on a plain http address of a local network. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
