import type { PasswordStrength } from './passwordStrength'

export const registerWords = {
  cnpjWrong: 'Este CNPJ não confere. Verifique o que foi digitado.',
  logIn: 'Entrar com este e-mail',
  termsLead: 'Para operar em produção, valem os',
  terms: 'termos do serviço',
} as const

export const strengths: Record<PasswordStrength, string> = {
  empty: 'De 8 a 128 caracteres. Uma frase longa é fácil de lembrar.',
  short: 'Curta: use pelo menos 8 caracteres.',
  weak: 'Fraca: use uma frase, ou misture letras, números e símbolos.',
  fair: 'Razoável: quanto mais caracteres, mais forte.',
  strong: 'Forte.',
}
