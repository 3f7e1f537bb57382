import { GatewayError, isRecord, Unreachable } from '../api/errors'

type Request = { method: 'POST' | 'PUT'; url: string; headers?: Record<string, string>; body: XMLHttpRequestBodyInit }

/** Send a file, and report the share that was sent. `fetch` has no progress of uploads. */
export function sendFile(request: Request, onProgress: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const transfer = new XMLHttpRequest()
    transfer.open(request.method, request.url)
    for (const [name, value] of Object.entries(request.headers ?? {})) transfer.setRequestHeader(name, value)
    transfer.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0))
    transfer.addEventListener('error', () => reject(new Unreachable()))
    transfer.addEventListener('load', () => {
      if (transfer.status < 300) resolve()
      else reject(refusalOf(transfer))
    })
    transfer.send(request.body)
  })
}

function refusalOf({ status, responseText }: XMLHttpRequest): Error {
  const error = parse(responseText)
  if (typeof error.message !== 'string') return new Unreachable()
  return new GatewayError(error.message, status, typeof error.codigo === 'string' ? error.codigo : null, error)
}

function parse(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text)
    return isRecord(body) && isRecord(body.error) ? body.error : {}
  } catch {
    // A proxy between may answer with a page.
    return {}
  }
}
