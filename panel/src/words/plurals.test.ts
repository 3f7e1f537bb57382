import { expect, test } from 'vitest'
import { chargeWords } from '../charges/words'
import { linkWords } from '../links/words'

test('one is singular', () => {
  const delivering = (attempts: number) => chargeWords.delivering('charge.paid', attempts)
  expect(delivering(0)).toBe('Evento charge.paid a caminho')
  expect(delivering(1)).toBe('Evento charge.paid não entregue em 1 tentativa; tentaremos de novo')
  expect(delivering(2)).toBe('Evento charge.paid não entregue em 2 tentativas; tentaremos de novo')
  expect([1, 45].map(linkWords.minutesOf)).toEqual(['1 minuto', '45 minutos'])
})
