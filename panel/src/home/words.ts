export const homeWords = {
  period: 'Período',
  periods: { hoje: 'Hoje', '7': '7 dias', '30': '30 dias', '90': '90 dias', mes: 'Este mês' },
  received: 'Recebido',
  paidCharges: 'Cobranças pagas',
  average: 'Valor médio',
  paidShare: 'Pagas, das criadas',
  available: 'Disponível',
  pending: 'Saindo',
  versus: (text: string) => `antes: ${text}`,
  chart: 'Recebido por dia',
  chartTable: 'Ver em tabela',
  day: 'Dia',
  untilNow: 'até agora',
  needsYou: 'Precisa de você',
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
  production: (missing: number) =>
    missing > 0
      ? `Para operar em produção ${missing === 1 ? 'falta 1 item' : `faltam ${missing} itens`}.`
      : 'Tudo pronto para pedir a produção.',
  productionRejected: 'O pedido de produção foi recusado. Veja o motivo e peça de novo.',
  endpointOff: (name: string) => `O webhook «${name}» está desligado: os avisos não chegam.`,
  subscriptionsFailing: (count: number) =>
    count === 1 ? '1 assinatura não pôde ser cobrada.' : `${count} assinaturas não puderam ser cobradas.`,
  receivingDocuments: 'A conta de recebimento espera documentos seus.',
} as const
