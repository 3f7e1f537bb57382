import { expect, test } from 'vitest'
import { linkState } from './state'

const NOW = new Date('2026-11-28T12:00:00Z')
const LINK = { active: false, usesCount: 3, maxUses: null, expiresAt: null }

test('a link says why it takes no payments', () => {
  const text = (changes: object) => linkState({ ...LINK, ...changes }, NOW).text
  expect(text({ active: true })).toBe('Ativo')
  expect(text({})).toBe('Desativado')
  expect(text({ maxUses: 3 })).toBe('Esgotado')
  expect(text({ expiresAt: '2026-11-28T02:59:59Z' })).toBe('Encerrado')
  expect(text({ active: true, unpayableReason: 'product_inactive' })).toBe('Produto indisponível')
})
