import { expect, test } from 'vitest'
import { pixKeyTypeOf } from './pixKeyTypeOf'

test.each([
  ['ana@loja.example', 'email'],
  ['123e4567-e89b-12d3-a456-426614174000', 'random'],
  ['11.222.333/0001-81', 'cnpj'],
  ['11222333000181', 'cnpj'],
  ['12.ABC.345/01DE-35', 'cnpj'],
  ['529.982.247-25', 'cpf'],
  ['52998224725', 'cpf'],
  ['11987654321', 'phone'],
  ['(11) 98765-4321', 'phone'],
  ['+55 11 98765-4321', 'phone'],
  ['5511987654321', 'phone'],
  ['1133334444', 'phone'],
  ['5299', null],
  ['', null],
])('%s seems to be of type %s', (key, type) => {
  expect(pixKeyTypeOf(key)).toBe(type)
})
