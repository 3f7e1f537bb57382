const MIN_LENGTH = 8
const KINDS = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/]

export type PasswordStrength = 'empty' | 'short' | 'weak' | 'fair' | 'strong'

/** How hard a password is to guess by its length and variety alone. The gateway refuses common ones, too. */
export function passwordStrength(password: string): PasswordStrength {
  const length = [...password].length
  if (length === 0) return 'empty'
  if (length < MIN_LENGTH) return 'short'
  const different = new Set(password.toLowerCase()).size
  const kinds = KINDS.filter((kind) => kind.test(password)).length
  if (different < 5) return 'weak'
  if (length >= 16 || (length >= 12 && kinds >= 3)) return 'strong'
  return length >= 12 || kinds >= 3 ? 'fair' : 'weak'
}
