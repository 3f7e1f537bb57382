/** A text that is shown once. */
export const secretWords = {
  stored: 'Já guardei',
  leaveTitle: 'Você já guardou?',
  leaveLead: 'O texto desta página não será mostrado de novo.',
  stay: 'Voltar e guardar',
  leave: 'Sair sem guardar',
} as const
