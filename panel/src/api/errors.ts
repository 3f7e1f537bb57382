/** An error of the gateway, with its `codigo` and the messages of its fields. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'

  constructor(
    message: string,
    readonly status: number,
    readonly code: string | null,
    readonly extensions: Readonly<Record<string, unknown>>,
    /** Seconds to wait, of a 429 or 503. */
    readonly retryAfter: number | null = null,
  ) {
    super(message)
  }

  /** Messages by input field. GraphQL names fields in camelCase, `campos` in snake_case. */
  get fields(): Record<string, string> {
    const { campos } = this.extensions
    if (!Array.isArray(campos)) return {}
    return Object.fromEntries(campos.filter(isFieldError).map(({ campo, mensagem }) => [camelCase(campo), mensagem]))
  }

  /** A text of the extensions, such as `desafio`. */
  text(name: string): string | null {
    const value = this.extensions[name]
    return typeof value === 'string' ? value : null
  }
}

/** The network failed, or the answer is no GraphQL. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
}

type FieldError = { campo: string; mensagem: string }

function isFieldError(value: unknown): value is FieldError {
  return isRecord(value) && typeof value.campo === 'string' && typeof value.mensagem === 'string'
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
