import { Unreachable } from '../api/errors'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { refusalOf } from '../api/refusal'
import { request } from '../api/request'

const DOWNLOAD = graphql(`
  mutation DocumentDownload($merchantId: ID!, $documentId: ID!) {
    documentDownload(merchantId: $merchantId, documentId: $documentId) { url fileName }
  }
`)

export type DocumentFile = { name: string; address: string }

/** A document's file as a `data:` address, which the page's policy lets it show: the gateway's address is good once. */
export async function documentFile(merchantId: string, documentId: string, signal: AbortSignal): Promise<DocumentFile> {
  const { documentDownload } = await request(DOWNLOAD, { merchantId, documentId }, { signal })
  const { url, fileName } = present(documentDownload)
  const response = await fetch(new URL(url).pathname, { signal })
  if (!response.ok) throw refusalOf(response.status, await response.text())
  return { name: fileName, address: await dataAddressOf(await response.blob()) }
}

function dataAddressOf(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(String(reader.result)))
    reader.addEventListener('error', () => reject(new Unreachable()))
    reader.readAsDataURL(file)
  })
}
