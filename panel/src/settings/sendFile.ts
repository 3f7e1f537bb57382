import { Unreachable } from '../api/errors'
import { refusalOf } from '../api/refusal'

/** Put a file at an address, and report the share that was sent. `fetch` has no progress of uploads. */
export function sendFile(path: string, file: File, onProgress: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const transfer = new XMLHttpRequest()
    transfer.open('PUT', path)
    transfer.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0))
    transfer.addEventListener('error', () => reject(new Unreachable()))
    transfer.addEventListener('load', () => {
      if (transfer.status < 300) resolve()
      else reject(refusalOf(transfer.status, transfer.responseText))
    })
    transfer.send(file)
  })
}
