import { useQueryClient } from '@tanstack/react-query'
import type { DocumentType } from '../api/gql/graphql'
import { currentToken } from '../session/session'
import { productionQuery } from './queries'
import { sendFile } from './sendFile'

type Upload = (type: DocumentType, file: File, onProgress: (share: number) => void) => Promise<void>

/** A function that sends a document, and reads again what is missing. */
export function useUploadDocument(): Upload {
  const cache = useQueryClient()
  return async (type, file, onProgress) => {
    const body = new FormData()
    body.append('type', type)
    body.append('file', file)
    const headers = { Authorization: `Bearer ${currentToken()}` }
    await sendFile({ method: 'POST', url: '/production/documents', headers, body }, onProgress)
    await cache.invalidateQueries({ queryKey: productionQuery.queryKey })
  }
}
