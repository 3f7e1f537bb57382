import type { PixKeyType } from '../api/gql/graphql'
import { formatDocument, formatPhone } from '../ui/format'

/** A Pix key as people write it. */
export function formatPixKey(type: PixKeyType, key: string): string {
  if (type === 'cpf' || type === 'cnpj') return formatDocument(key)
  return type === 'phone' ? formatPhone(key) : key
}
