import { currentStore, currentToken, unlock } from '../session/session'
import { GatewayError, isRecord, Unreachable } from './errors'
import type { TypedDocumentString } from './gql/graphql'

export const GRAPHQL = '/graphql'

type Options = {
  /** Without a session: login and the pages before it. */
  public?: boolean
  /** Fail with the gateway's 401 instead of asking for the password. */
  keepLocked?: boolean
  /** The token of a session that is not the panel's yet. */
  token?: string
  idempotencyKey?: string
  /** Takes the gateway's `aviso` about what it did. */
  onNotice?: (notice: string) => void
  signal?: AbortSignal
}

/** The data of a document whose root fields fail one by one, with the error of each failed one. */
export type Parts<Data> = { data: Data; errors: Partial<Record<string, GatewayError>> }

/**
 * Send one GraphQL operation, which fails with its first error. An expired session is resumed, or the lock dialog asks for
 * the password, and the operation is sent again.
 */
export async function request<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  options: Options = {},
): Promise<Data> {
  const { data, errors } = await requestPartial(document, variables, options)
  const [error] = Object.values(errors)
  if (error) throw error
  return data
}

/** Like `request`, for a page whose cards fail alone. */
export async function requestPartial<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  options: Options = {},
): Promise<Parts<Data>> {
  const result = await send(document, variables, options)
  const expired = Object.values(result.errors).some((error) => error?.status === 401)
  if (!expired || options.public || options.keepLocked) return result
  await unlock()
  return send(document, variables, options)
}

async function send<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  options: Options,
): Promise<Parts<Data>> {
  const response = await post(JSON.stringify({ query: document.toString(), variables }), options)
  const body: unknown = await response.json().catch(() => null)
  const failures = isRecord(body) && Array.isArray(body.errors) ? body.errors : []
  const data = isRecord(body) && isRecord(body.data) ? body.data : null
  if (data === null && failures.length === 0) throw new Unreachable()
  const { aviso } = isRecord(body) && isRecord(body.extensions) ? body.extensions : {}
  if (typeof aviso === 'string') options.onNotice?.(aviso)
  const errors: Parts<Data>['errors'] = {}
  for (const failure of failures) errors[rootOf(failure)] ??= errorOf(failure, response)
  return { data: (data ?? {}) as Data, errors }
}

async function post(body: string, options: Options): Promise<Response> {
  const headers = headersOf(options)
  if (options.idempotencyKey) headers['Idempotency-Key'] = options.idempotencyKey
  try {
    return await fetch(GRAPHQL, { method: 'POST', headers, body, signal: options.signal ?? null })
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new Unreachable()
  }
}

/** The headers of every request: the session's token and the chosen store. */
export function headersOf(options: Pick<Options, 'public' | 'token'> = {}): Record<string, string> {
  // The gateway sets and reads the cookie that resumes a session only with `x-panel`.
  const headers: Record<string, string> = { 'Content-Type': 'application/json', 'x-panel': '1' }
  const token = options.token ?? currentToken()
  if (token && !options.public) {
    headers.Authorization = `Bearer ${token}`
    const store = options.token ? null : currentStore()
    if (store) headers['x-store'] = store
  }
  return headers
}

function rootOf(failure: unknown): string {
  const [root] = isRecord(failure) && Array.isArray(failure.path) ? failure.path : []
  return typeof root === 'string' ? root : ''
}

function errorOf(failure: unknown, response: Response): GatewayError {
  const shown = isRecord(failure) ? failure : {}
  const extensions = isRecord(shown.extensions) ? shown.extensions : {}
  const message = typeof shown.message === 'string' ? shown.message : ''
  const status = typeof extensions.status === 'number' ? extensions.status : response.status
  const code = typeof extensions.codigo === 'string' ? extensions.codigo : null
  const retryAfter = Number(response.headers.get('Retry-After')) || null
  return new GatewayError(message, status, code, extensions, retryAfter)
}
