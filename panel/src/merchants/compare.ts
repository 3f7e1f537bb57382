import { isRecord } from '../api/errors'
import type { Merchant } from './queries'

export type Comparison = { id: string; submitted: string | null; now: string | null }

/** What the last request presented against what is there now; null if there was no request. */
export function compareSubmission(merchant: Pick<Merchant, 'company' | 'cnpj' | 'documents' | 'history'>): {
  at: string
  rows: Comparison[]
} | null {
  const request = merchant.history.findLast((move) => isRecord(move.submitted))
  if (!request || !isRecord(request.submitted)) return null
  const { company, cnpj, documents } = request.submitted
  const sent = isRecord(documents) ? documents : {}
  const now = Object.fromEntries(merchant.documents.map((document) => [document.type, document.sha256]))
  const types = [...new Set([...Object.keys(sent), ...Object.keys(now)])]
  return {
    at: request.createdAt,
    rows: [
      { id: 'company', submitted: textOf(company), now: merchant.company ?? null },
      { id: 'cnpj', submitted: textOf(cnpj), now: merchant.cnpj ?? null },
      ...types.map((type) => ({ id: type, submitted: textOf(sent[type]), now: now[type] ?? null })),
    ],
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
