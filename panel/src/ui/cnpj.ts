const LENGTH = 14
/** Of the second check digit. Those of the first are the same without the leading one. */
const WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]

/** Whether a text is as long as a CNPJ, but its check digits are wrong. A CNPJ may have letters. */
export function isWrongCnpj(text: string): boolean {
  const value = text.replace(/[^0-9A-Za-z]/g, '').toUpperCase()
  if (value.length !== LENGTH) return false
  // No CNPJ of equal digits is assigned, though the arithmetic is right.
  if (/^(.)\1+$/.test(value)) return true
  return (
    value.slice(-2) !== `${checkDigit(value.slice(0, 12), WEIGHTS.slice(1))}${checkDigit(value.slice(0, 13), WEIGHTS)}`
  )
}

/** Each character is worth its ASCII code less 48: `A` is 17. */
function checkDigit(characters: string, weights: readonly number[]): number {
  const sum = weights.reduce((total, weight, at) => total + weight * (characters.charCodeAt(at) - 48), 0)
  return sum % 11 < 2 ? 0 : 11 - (sum % 11)
}
