import { GatewayError, isRecord, Unreachable } from '../api/errors'
import { currentToken } from '../session/session'

/** A document's file as a `data:` address, which the page's policy lets it show. */
export async function documentFile(merchantId: string, documentId: string, signal: AbortSignal): Promise<string> {
  const response = await fetch(`/admin/lojistas/${merchantId}/documentos/${documentId}`, {
    headers: { Authorization: `Bearer ${currentToken()}` },
    signal,
  })
  if (!response.ok) throw await refusalOf(response)
  return dataAddressOf(await response.blob())
}

function dataAddressOf(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(String(reader.result)))
    reader.addEventListener('error', () => reject(new Unreachable()))
    reader.readAsDataURL(file)
  })
}

async function refusalOf(response: Response): Promise<Error> {
  const body: unknown = await response.json().catch(() => null)
  const error = isRecord(body) && isRecord(body.error) ? body.error : {}
  return typeof error.message === 'string'
    ? new GatewayError(error.message, response.status, null, error)
    : new Unreachable()
}
