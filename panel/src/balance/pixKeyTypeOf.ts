import type { PixKeyType } from '../api/gql/graphql'

const UUID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i
const CNPJ = /^[0-9A-Z]{12}[0-9]{2}$/i
const MOBILE = /^[1-9][1-9]9[0-9]{8}$/

/**
 * The type that a typed Pix key seems to have; null if it is none yet. Eleven digits may be a CPF or a mobile phone: its
 * form decides, then the CPF's check digits.
 */
export function pixKeyTypeOf(text: string): PixKeyType | null {
  const key = text.trim()
  if (key.includes('@')) return 'email'
  if (UUID.test(key)) return 'random'
  const bare = key.replace(/[\s.()/+-]/g, '')
  if (/^[(+]/.test(key)) return /^[0-9]{10,13}$/.test(bare) ? 'phone' : null
  if (CNPJ.test(bare)) return 'cnpj'
  if (!/^[0-9]{10,13}$/.test(bare)) return null
  if (bare.length !== 11) return 'phone'
  if (/^[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}$/.test(key) || isCpf(bare)) return 'cpf'
  return MOBILE.test(bare) ? 'phone' : 'cpf'
}

function isCpf(digits: string): boolean {
  const numbers = [...digits].map(Number)
  const check = (length: number) => {
    const sum = numbers.slice(0, length).reduce((total, digit, at) => total + digit * (length + 1 - at), 0)
    return ((sum * 10) % 11) % 10
  }
  return check(9) === numbers[9] && check(10) === numbers[10]
}
