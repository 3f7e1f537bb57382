export const invitationWords = {
  title: 'Convite para uma loja',
  lead: 'Aceite para trabalhar nesta loja com a sua conta. Você troca de loja no menu.',
  code: 'Código do convite',
  accept: 'Aceitar convite',
} as const
