export const serviceWords = {
  title: 'Serviço',
  overview: 'Resumo',
  merchants: 'Lojistas',
  lead: 'O que espera pela equipe',
  pending: 'Pedidos de liberação',
  oldest: 'O mais antigo espera desde',
  withdrawals: 'Saques em andamento',
  repayments: 'Repasses a enviar',
  differences: 'Divergências abertas',
  openQueue: 'Ver a fila',
  factorNeeded:
    'Este serviço pede a verificação em duas etapas a quem é da equipe. Sem ela, estas páginas ficam fechadas.',
  factorApp: 'Instale um aplicativo autenticador no celular.',
  factorEnable: 'Ative a verificação em duas etapas na sua conta e guarde os códigos de recuperação.',
  factorBack: 'Volte a esta página: ela abre na mesma hora.',
  enableTwoFactor: 'Ativar a verificação em duas etapas',
  nothing: 'Nada espera por uma decisão.',
} as const
