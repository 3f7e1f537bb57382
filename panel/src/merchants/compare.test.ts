import { expect, test } from 'vitest'
import { compareSubmission } from './compare'

const document = (type: 'proof_of_address' | 'company_registration', sha256: string) => ({
  id: type,
  type,
  sha256,
  fileName: 'a.pdf',
  contentType: 'application/pdf',
  size: 1,
  uploadedAt: '2026-11-01T12:00:00Z',
})
const move = (createdAt: string, submitted: unknown) => ({
  id: createdAt,
  toStatus: 'pending' as const,
  reason: null,
  actorName: 'Ana',
  createdAt,
  submitted,
})

test('the last request is compared with what is there now', () => {
  const merchant = {
    company: 'Loja da Ana',
    cnpj: '11222333000181',
    documents: [document('proof_of_address', 'bb'), document('company_registration', 'cc')],
    history: [
      move('2026-11-01T12:00:00Z', { company: 'Outra', cnpj: null, documents: {} }),
      move('2026-11-02T12:00:00Z', {
        company: 'Loja da Ana',
        cnpj: '11222333000181',
        documents: { proof_of_address: 'aa' },
      }),
      { ...move('2026-11-03T12:00:00Z', null), toStatus: 'rejected' as const },
    ],
  }
  expect(compareSubmission(merchant)).toEqual({
    at: '2026-11-02T12:00:00Z',
    rows: [
      { id: 'company', submitted: 'Loja da Ana', now: 'Loja da Ana' },
      { id: 'cnpj', submitted: '11222333000181', now: '11222333000181' },
      { id: 'proof_of_address', submitted: 'aa', now: 'bb' },
      { id: 'company_registration', submitted: null, now: 'cc' },
    ],
  })
  expect(compareSubmission({ ...merchant, history: [] })).toBeNull()
})
