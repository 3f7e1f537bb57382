import { expect, test } from 'vitest'
import { passwordStrength } from './passwordStrength'

test.each([
  ['', 'empty'],
  ['curta1!', 'short'],
  ['aaaaaaaaaaaaaaaaaaaa', 'weak'],
  ['cachorro', 'weak'],
  ['Cachorro7', 'fair'],
  ['cachorrogato', 'fair'],
  ['Cachorro-Gato7', 'strong'],
  ['quatro palavras bem comuns', 'strong'],
])('the password «%s» is %s', (password, strength) => {
  expect(passwordStrength(password)).toBe(strength)
})
