/** The code behind an address's `#`, which no server sees. A code that can't be read is none. */
export function codeOfHash(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1))
  } catch {
    return ''
  }
}
