import { expect, test } from 'vitest'
import { isWrongCnpj } from './cnpj'

test.each([
  ['11.222.333/0001-81', false],
  ['11222333000181', false],
  ['12.ABC.345/01DE-35', false],
  ['12abc34501de35', false],
  ['11.222.333/0001-80', true],
  ['11.222.333/0001-91', true],
  ['12.ABC.345/01DE-36', true],
  ['12.ABC.345/01DE-3A', true],
  ['00.000.000/0000-00', true],
])('whether the CNPJ %s is wrong: %s', (text, wrong) => {
  expect(isWrongCnpj(text)).toBe(wrong)
})

test.each(['', '11.222.333/0001-8', '529.982.247-25'])('«%s» is not a whole CNPJ yet', (text) => {
  expect(isWrongCnpj(text)).toBe(false)
})
