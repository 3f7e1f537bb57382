import { GatewayError } from '../api/errors'
import { EnvironmentChanged } from '../session/session'
import { words } from '../words/pt-BR'

/** The sentence for a failure: the gateway's own, if it answered. */
export function messageOf(error: unknown): string {
  if (error instanceof EnvironmentChanged) return words.failure.environmentChanged
  return error instanceof GatewayError && error.message ? error.message : words.failure.unreachable
}
