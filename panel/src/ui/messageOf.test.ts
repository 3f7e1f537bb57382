import { expect, test } from 'vitest'
import { GatewayError } from '../api/errors'
import { messageOf } from './messageOf'

const refusal = (message: string, fields: Record<string, string>) => {
  const campos = Object.entries(fields).map(([campo, mensagem]) => ({ campo, mensagem }))
  return new GatewayError(message, 400, null, { campos })
}

test('a list of fields is read without their technical names', () => {
  const one = refusal('Dados inválidos: file: envie um PDF, um JPEG ou um PNG', {
    file: 'envie um PDF, um JPEG ou um PNG',
  })
  expect(messageOf(one)).toBe('Envie um PDF, um JPEG ou um PNG.')
  const two = refusal('Dados inválidos: external_reference: não pode ficar vazio; amount: o valor mínimo é R$ 5,00', {
    external_reference: 'não pode ficar vazio',
    amount: 'o valor mínimo é R$ 5,00',
  })
  expect(messageOf(two)).toBe('Sua referência: não pode ficar vazio. O valor mínimo é R$ 5,00.')
})

test('an unexpected error has the code that its sentence asks for', () => {
  const error = new GatewayError('Erro inesperado. Informe o código ao suporte.', 500, null, { id: '0198f3c2' })
  expect(messageOf(error)).toBe('Erro inesperado. Informe o código ao suporte. Código: 0198f3c2')
})

test('a sentence of the gateway stays', () => {
  const sentence = 'Este cupom não está ativo.'
  expect(messageOf(refusal(sentence, { coupon_code: 'este cupom não está ativo' }))).toBe(sentence)
  expect(messageOf(new GatewayError('Dados inválidos.', 400, null, {}))).toBe('Dados inválidos.')
})
