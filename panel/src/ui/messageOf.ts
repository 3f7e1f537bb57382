import { GatewayError } from '../api/errors'
import { words } from '../words/pt-BR'

/** The sentence for a failure: the gateway's own, if it answered. */
export function messageOf(error: unknown): string {
  return error instanceof GatewayError && error.message ? error.message : words.failure.unreachable
}
