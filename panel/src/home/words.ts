import type { ProductionStatus, ReceivingStatus } from '../api/gql/graphql'

export const homeWords = {
  period: 'Período',
  periods: { hoje: 'Hoje', '7': '7 dias', '30': '30 dias', '90': '90 dias', mes: 'Este mês' },
  received: 'Recebido',
  paidCharges: 'Cobranças pagas',
  average: 'Valor médio',
  paidShare: 'Pagas, das criadas',
  open: 'Em aberto',
  available: 'Disponível',
  versus: (text: string) => `antes: ${text}`,
  chart: 'Recebido por dia',
  chartTable: 'Ver em tabela',
  day: 'Dia',
  untilNow: 'até agora',
  needsYou: 'Precisa de você',
  solve: 'Resolver',
  firstSteps: 'Primeiros passos',
  steps: {
    charge: 'Criar a primeira cobrança',
    payment: 'Receber o primeiro pagamento',
    apiKey: 'Criar uma chave de API',
    webhook: 'Ser avisado por webhook',
  },
  done: 'Feito',
  lastCharges: 'Últimas cobranças',
  allCharges: 'Ver todas',
  nothingYet: 'Nenhuma cobrança ainda.',
  seePix: 'Veja um Pix acontecer',
  seePixLead:
    'Crie uma cobrança de teste de R$ 10,00, simule o pagamento e veja o aviso chegar. Leva menos de um minuto.',
  seePixButton: 'Criar cobrança de teste',
  exampleDescription: 'Cobrança de teste',
  examplePayer: 'Pagador de Exemplo',
  subscriptionsFailing: (count: number) =>
    count === 1 ? '1 assinatura não pôde ser cobrada.' : `${count} assinaturas não puderam ser cobradas.`,
  withdrawalRejected: 'Seu último saque não foi feito, e o valor voltou ao saldo.',
} as const

/** Why the approval needs a person, by its status. */
export const productionTasks: Partial<Record<ProductionStatus, string>> = {
  rejected: 'O pedido de produção foi recusado. Veja o motivo e peça de novo.',
  suspended: 'A operação em produção está suspensa. Veja o motivo.',
}

/** Why the receiving account needs a person, by its status. */
export const receivingTasks: Partial<Record<ReceivingStatus, string>> = {
  pending: 'A conta de recebimento espera documentos seus.',
  rejected: 'A conta de recebimento foi recusada.',
  lost: 'A conta de recebimento está com um problema que só a equipe do serviço resolve.',
}
