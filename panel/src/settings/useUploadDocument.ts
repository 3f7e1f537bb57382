import { useQueryClient } from '@tanstack/react-query'
import type { DocumentType } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { productionQuery } from './queries'
import { sendFile } from './sendFile'

const BEGIN = graphql(`
  mutation BeginDocumentUpload($type: DocumentType!, $fileName: String!, $size: Int!) {
    beginDocumentUpload(type: $type, fileName: $fileName, size: $size) { url }
  }
`)

type Upload = (type: DocumentType, file: File, onProgress: (share: number) => void) => Promise<void>

/** A function that sends a document to an address of its own, and reads again what is missing. */
export function useUploadDocument(): Upload {
  const cache = useQueryClient()
  return async (type, file, onProgress) => {
    const answer = await request(BEGIN, { type, fileName: file.name, size: file.size })
    // By its path, as the page's policy allows its own origin only.
    await sendFile(new URL(present(answer.beginDocumentUpload).url).pathname, file, onProgress)
    await cache.invalidateQueries({ queryKey: productionQuery.queryKey })
  }
}
