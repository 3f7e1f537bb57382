export const onboardingWords = {
  title: 'Como sua loja se chama?',
  lead: 'Quem paga vê este nome. Você pode mudá-lo depois, em Ajustes.',
  name: 'Nome da loja',
  go: 'Continuar',
  skip: 'Pular',
} as const

export const nextStepsWords = {
  title: 'E agora?',
  link: 'Vender por link',
  linkLead: 'Um endereço de pagamento para enviar a quem você quiser.',
  api: 'Integrar por API',
  apiLead: 'Uma chave e exemplos prontos para o seu sistema cobrar sozinho.',
  live: 'Ir para produção',
  liveLead: 'O que falta para receber dinheiro de verdade.',
} as const
