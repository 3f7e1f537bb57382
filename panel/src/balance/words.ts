import type {
  PixKeyType,
  ReceivedStatus,
  StatementEntryKind,
  WithdrawalOrder,
  WithdrawalStatus,
} from '../api/gql/graphql'

export const withdrawalStatuses: Record<WithdrawalStatus, string> = {
  pending: 'Solicitado',
  processing: 'Processando',
  completed: 'Concluído',
  rejected: 'Recusado',
  canceled: 'Cancelado',
}

export const withdrawalOrders: Record<WithdrawalOrder, string> = {
  created_at_desc: 'Mais novos',
  created_at_asc: 'Mais antigos',
  amount_desc: 'Maior valor',
  amount_asc: 'Menor valor',
}

export const repaymentStatuses: Record<ReceivedStatus, string> = { recorded: 'A enviar', done: 'Enviado' }

export const pixKeyTypes: Record<PixKeyType, string> = {
  cpf: 'CPF',
  cnpj: 'CNPJ',
  email: 'E-mail',
  phone: 'Telefone',
  random: 'Chave aleatória',
}

export const balanceWords = {
  title: 'Saldo',
  overview: 'Resumo',
  withdrawals: 'Saques',
  repayments: 'Repasses',
  statement: 'Extrato',
  available: 'Disponível',
  gross: 'Recebido',
  fees: 'Tarifas do serviço',
  net: 'Líquido',
  withdrawn: 'Já saiu',
  pending: 'Saindo',
  charges: 'Cobranças pagas',
  completed: 'Saques concluídos',
  negative: 'O saldo está negativo porque uma cobrança foi devolvida depois do saque. As próximas vendas o cobrem.',
  shared: 'O serviço recebe por você e repassa o valor à sua loja. Não é preciso pedir saque.',
  own: 'O dinheiro fica na conta de recebimento da loja até você sacar.',
  withdraw: 'Sacar',
  last: (what: string) => `Últimos ${what.toLowerCase()}`,
  seeAll: 'Ver todos',
  noWithdrawals: 'Nenhum saque ainda',
  noWithdrawalsLead: 'Um saque envia o saldo da loja para uma chave Pix sua.',
  noRepayments: 'Nenhum repasse ainda',
  noRepaymentsLead: 'Um repasse é o que o serviço envia à sua loja pelas cobranças pagas num período.',
} as const

export const withdrawalWords = {
  title: 'Saques',
  one: 'Saque',
  new: 'Sacar',
  status: 'Situação',
  created: 'Pedido',
  completed: 'Concluído',
  rejected: 'Recusado',
  amount: 'Valor',
  fee: 'Tarifa da transferência',
  net: 'Chega à chave',
  key: 'Chave Pix',
  keyType: 'Tipo da chave',
  description: 'Descrição (opcional)',
  descriptionFact: 'Descrição',
  reference: 'Sua referência',
  search: 'Chave, descrição ou referência',
  createdFrom: 'Pedido desde',
  createdTo: 'Pedido até',
  details: 'Detalhes',
  available: (amount: string) => `Disponível: ${amount}`,
  all: 'Sacar tudo',
  keyHint: 'CPF, CNPJ, e-mail, telefone ou chave aleatória.',
  savedKeys: 'Para',
  otherKey: 'Outra chave',
  saveKey: 'Guardar esta chave para os próximos saques',
  deleteKey: 'Excluir esta chave',
  deleteKeyTitle: 'Excluir a chave guardada?',
  deleteKeyLead: 'Ela sai da lista. Os saques já feitos para ela continuam no histórico.',
  review: 'Conferir',
  reviewTitle: 'Confira o saque',
  reviewLead: 'O dinheiro vai para a chave abaixo. Depois de enviado, não volta.',
  feeLater: 'Descontada pelo provedor, se houver',
  confirm: 'Sacar agora',
  inProgress: 'Ver o saque em andamento',
  fillMost: (amount: string) => `Usar ${amount}`,
  openAccount: 'Ver a conta de recebimento',
  pending: 'O pedido foi enviado, e perguntamos ao banco se já foi aceito. O valor está reservado.',
  processing: 'O banco está fazendo a transferência. Isso costuma levar minutos.',
  wasRejected: 'O saque não foi feito, e o valor voltou ao saldo.',
  copyE2e: 'Copiar o EndToEndId',
} as const

export const repaymentWords = {
  title: 'Repasses',
  one: 'Repasse',
  status: 'Situação',
  period: 'Período',
  from: 'Cobranças pagas desde',
  to: 'Até',
  gross: 'Soma das cobranças',
  fee: 'Tarifa do serviço',
  deducted: 'Desconto por devoluções',
  net: 'Você recebe',
  charges: 'Cobranças',
  deductedCount: 'Cobranças devolvidas',
  created: 'Anotado',
  concluded: 'Enviado',
  details: 'Detalhes',
  recorded: 'O valor foi calculado, e a transferência ainda será feita.',
  createdFrom: 'Anotado desde',
  createdTo: 'Anotado até',
} as const

export const statementKinds: Record<StatementEntryKind, string> = {
  charge_paid: 'Pagamento de',
  charge_refunded: 'Devolução a',
  withdrawal: 'Saque para',
  withdrawal_rejected: 'Saque não feito para',
  repayment: 'Repasse de',
}

export const statementWords = {
  title: 'Extrato',
  entry: 'Lançamento',
  amount: 'Valor',
  at: 'Quando',
  after: 'Saldo depois',
  charge: 'cobrança',
  from: 'Desde',
  to: 'Até',
  empty: 'Nada mudou o saldo neste período.',
  allTime: 'Desde o início',
  partial: (rows: string) => `Só os ${rows} lançamentos mais novos deste período.`,
} as const
