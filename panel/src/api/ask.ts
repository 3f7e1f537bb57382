import { currentStore, currentToken, unlock } from '../session/session'
import { GatewayError, isRecord, Unreachable } from './errors'
import type { TypedDocumentString } from './gql/graphql'

type Options = {
  /** Without a session: login and the pages before it. */
  public?: boolean
  /** Fail with the gateway's 401 instead of asking for the password. */
  keepLocked?: boolean
  idempotencyKey?: string
  signal?: AbortSignal
}

/**
 * Send one GraphQL operation. If the session has expired, the lock dialog asks for the password, and the operation is
 * sent again.
 */
export async function ask<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  options: Options = {},
): Promise<Data> {
  try {
    return await send(document, variables, options)
  } catch (error) {
    if (options.public || options.keepLocked || !(error instanceof GatewayError) || error.status !== 401) throw error
    await unlock()
    return send(document, variables, options)
  }
}

async function send<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  options: Options,
): Promise<Data> {
  const response = await post(JSON.stringify({ query: document.toString(), variables }), options)
  const body: unknown = await response.json().catch(() => null)
  const errors = isRecord(body) && Array.isArray(body.errors) ? body.errors : []
  if (errors.length > 0) throw errorOf(errors[0], response.status)
  if (!isRecord(body) || !isRecord(body.data)) throw new Unreachable()
  return body.data as Data
}

async function post(body: string, options: Options): Promise<Response> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' }
  const token = currentToken()
  if (token && !options.public) {
    headers.Authorization = `Bearer ${token}`
    const store = currentStore()
    if (store) headers['x-store'] = store
  }
  if (options.idempotencyKey) headers['Idempotency-Key'] = options.idempotencyKey
  try {
    return await fetch('/graphql', { method: 'POST', headers, body, signal: options.signal ?? null })
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new Unreachable()
  }
}

function errorOf(error: unknown, httpStatus: number): GatewayError {
  const shown = isRecord(error) ? error : {}
  const extensions = isRecord(shown.extensions) ? shown.extensions : {}
  const message = typeof shown.message === 'string' ? shown.message : ''
  const status = typeof extensions.status === 'number' ? extensions.status : httpStatus
  return new GatewayError(message, status, typeof extensions.codigo === 'string' ? extensions.codigo : null, extensions)
}
