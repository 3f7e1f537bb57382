export const serviceWords = {
  title: 'Serviço',
  overview: 'Resumo',
  merchants: 'Lojistas',
  lead: 'O que espera pela equipe.',
  pending: 'Pedidos de liberação',
  oldest: 'O mais antigo espera desde',
  withdrawals: 'Saques em andamento',
  repayments: 'Repasses a enviar',
  differences: 'Divergências abertas',
  openQueue: 'Ver a fila',
  enableTwoFactor: 'Ativar a verificação em duas etapas',
  nothing: 'Nada espera por uma decisão.',
} as const
