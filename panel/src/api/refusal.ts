import { GatewayError, isRecord, Unreachable } from './errors'

/** The error of an answer of the REST interface, which files use. */
export function refusalOf(status: number, text: string): GatewayError | Unreachable {
  const { error } = parse(text)
  if (!isRecord(error) || typeof error.message !== 'string') return new Unreachable()
  return new GatewayError(error.message, status, typeof error.codigo === 'string' ? error.codigo : null, error)
}

function parse(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text)
    return isRecord(body) ? body : {}
  } catch {
    // A proxy between may answer with a page.
    return {}
  }
}
