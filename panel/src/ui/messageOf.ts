import { GatewayError } from '../api/errors'
import { EnvironmentChanged } from '../session/session'
import { fieldLabels, words } from '../words/pt-BR'

// The gateway begins so where it has no sentence but a list of fields, by their names in the API.
const LIST = 'Dados inválidos: '

/** The sentence for a failure: the gateway's own, if it answered. */
export function messageOf(error: unknown): string {
  if (error instanceof EnvironmentChanged) return words.failure.environmentChanged
  if (!(error instanceof GatewayError && error.message)) return words.failure.unreachable
  const request = error.text('id')
  if (error.status === 500 && request) return `${error.message} ${words.failure.request(request)}`
  const fields = Object.entries(error.fields)
  return fields.length > 0 && error.message.startsWith(LIST) ? sentencesOf(fields) : error.message
}

/** The messages of fields that aren't shown. */
export const sentencesOf = (fields: readonly [name: string, message: string][]): string =>
  fields.map(([name, message]) => sentenceOf(fieldLabels[name], message)).join(' ')

const sentenceOf = (label: string | undefined, message: string): string =>
  label ? `${label}: ${message}.` : `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
