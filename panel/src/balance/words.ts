import type {
  PixKeyType,
  ReceivedRepaymentColumn,
  ReceivedStatus,
  StatementColumn,
  StatementEntryKind,
  WithdrawalColumn,
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
  refunds: 'Devoluções',
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

/** Names of the columns of an exported file. */
export const withdrawalExportColumns: Record<WithdrawalColumn, string> = {
  id: 'Identificador',
  created_at: 'Solicitado',
  status: 'Situação',
  amount: 'Valor',
  fee_amount: 'Tarifa da transferência',
  net_amount: 'Chega à chave',
  pix_key_type: 'Tipo da chave',
  pix_key: 'Chave Pix',
  description: 'Descrição',
  external_reference: 'Sua referência',
  completed_at: 'Concluído',
  end_to_end_id: 'EndToEndId',
  rejected_at: 'Recusado',
  reject_reason: 'Motivo da recusa',
  environment: 'Ambiente',
}

export const withdrawalWords = {
  title: 'Saques',
  one: 'Saque',
  new: 'Sacar',
  status: 'Situação',
  created: 'Solicitado',
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
  createdFrom: 'Solicitado desde',
  createdTo: 'Solicitado até',
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
  feeAtMost: (amount: string) => `${amount}, no máximo`,
  feeAsked: 'Perguntando ao banco…',
  feeLater: 'Descontada pelo provedor, se houver',
  confirm: 'Sacar agora',
  inProgress: 'Ver o saque em andamento',
  fillMost: (amount: string) => `Usar ${amount}`,
  openAccount: 'Ver a conta de recebimento',
  pending: 'A solicitação foi enviada, e perguntamos ao banco se já foi aceita. O valor está reservado.',
  processing: 'O banco está fazendo a transferência. Isso costuma levar minutos.',
  wasRejected: 'O saque não foi feito, e o valor voltou ao saldo.',
  copyE2e: 'Copiar o EndToEndId',
} as const

/** Names of the columns of an exported file. */
export const repaymentExportColumns: Record<ReceivedRepaymentColumn, string> = {
  id: 'Identificador',
  user_id: 'Identificador da loja',
  environment: 'Ambiente',
  paid_from: 'Cobranças pagas desde',
  paid_to: 'Até',
  gross_amount: 'Soma das cobranças',
  fee_amount: 'Tarifa do serviço',
  deducted_amount: 'Desconto por devoluções',
  net_amount: 'Você recebe',
  charges_count: 'Cobranças',
  deducted_count: 'Cobranças devolvidas',
  end_to_end_id: 'EndToEndId',
  created_at: 'Registrado',
  concluded_at: 'Enviado',
  status: 'Situação',
}

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
  created: 'Registrado',
  concluded: 'Enviado',
  details: 'Detalhes',
  recorded: 'O valor foi calculado, e a transferência ainda será feita.',
  createdFrom: 'Registrado desde',
  createdTo: 'Registrado até',
} as const

export const statementKinds: Record<StatementEntryKind, string> = {
  charge_paid: 'Pagamento de',
  charge_refunded: 'Devolução pelo banco a',
  refund: 'Devolução a',
  refund_rejected: 'Devolução não feita a',
  withdrawal: 'Saque para',
  withdrawal_rejected: 'Saque não feito para',
  repayment: 'Repasse de',
}

/** Names of the columns of an exported file. */
export const statementExportColumns: Record<StatementColumn, string> = {
  at: 'Quando',
  kind: 'Lançamento',
  amount: 'Valor',
  balance_after: 'Saldo depois',
  charge_id: 'Identificador da cobrança',
  refund_id: 'Identificador da devolução',
  withdrawal_id: 'Identificador do saque',
  repayment_id: 'Identificador do repasse',
}

export const statementWords = {
  title: 'Extrato',
  entry: 'Lançamento',
  amount: 'Valor',
  at: 'Quando',
  after: 'Saldo depois',
  charge: 'cobrança',
  feeBack: 'Tarifa de volta, da devolução a',
  from: 'Desde',
  to: 'Até',
  empty: 'Nada mudou o saldo neste período.',
  allTime: 'Desde o início',
  partial: (rows: string) => `Só os ${rows} lançamentos mais novos deste período.`,
} as const
