import { unlock } from '../session/session'
import { Unreachable } from './errors'
import { refusalOf } from './refusal'
import { headersOf } from './request'

/** The JSON of a GET over REST. An expired session is resumed, or the lock dialog asks for the password. */
export async function readResponse(path: string, signal: AbortSignal): Promise<unknown> {
  const response = await get(path, signal)
  if (response.status !== 401) return jsonOf(response)
  await unlock()
  return jsonOf(await get(path, signal))
}

async function get(path: string, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(path, { headers: headersOf(), signal })
  } catch (error) {
    if (signal.aborted) throw error
    throw new Unreachable()
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  if (!response.ok) throw refusalOf(response.status, await response.text())
  return response.json()
}
