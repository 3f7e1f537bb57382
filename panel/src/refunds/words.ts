import type { RefundColumn, RefundOrder, RefundStatus } from '../api/gql/graphql'

export const refundStatuses: Record<RefundStatus, string> = {
  pending: 'Solicitada',
  processing: 'Em andamento',
  completed: 'Concluída',
  rejected: 'Não feita',
}

export const refundOrders: Record<RefundOrder, string> = {
  created_at_desc: 'Mais novas',
  created_at_asc: 'Mais antigas',
  amount_desc: 'Maior valor',
  amount_asc: 'Menor valor',
}

/** Names of the columns of an exported file. */
export const refundExportColumns: Record<RefundColumn, string> = {
  id: 'Identificador',
  created_at: 'Solicitada',
  status: 'Situação',
  amount: 'Valor',
  charge_id: 'Identificador da cobrança',
  reason: 'Motivo',
  external_reference: 'Sua referência',
  completed_at: 'Concluída',
  return_id: 'Identificador da devolução no Pix',
  end_to_end_id: 'EndToEndId do pagamento',
  rejected_at: 'Recusada pelo banco',
  reject_reason: 'Por que não foi feita',
}

export const refundWords = {
  title: 'Devoluções',
  status: 'Situação',
  search: 'Motivo, referência ou identificador',
  charge: 'Cobrança',
  amount: 'Valor',
  amountLabel: 'Valor a devolver',
  amountHint: (left: string) => `Você ainda pode devolver até ${left}.`,
  reason: 'Motivo (opcional)',
  reasonHint: 'O pagador lê este texto. Até 140 caracteres.',
  reference: 'Sua referência',
  created: 'Solicitada',
  createdFrom: 'Solicitada desde',
  createdTo: 'Solicitada até',
  ofCharge: 'De uma cobrança',
  empty: 'Nenhuma devolução ainda',
  emptyLead: 'Para devolver um pagamento, abra a cobrança paga e escolha «Devolver».',
  refund: 'Devolver',
  refundTitle: 'Devolver ao pagador',
  refundLead: 'Devolva tudo ou uma parte, em até 90 dias do pagamento.',
  simulateRejected: 'Simular uma recusa do banco',
  simulateHint: 'Só no ambiente de teste.',
  review: 'Conferir',
  back: 'Voltar',
  someone: 'o pagador',
  sure: (amount: string, payer: string) =>
    `${amount} voltam para ${payer}, na conta que pagou o Pix. Isto não pode ser desfeito.`,
  confirm: (amount: string) => `Devolver ${amount}`,
  entry: (amount: string) => `Devolução de ${amount}`,
  becauseOf: (reason: string) => `Motivo: ${reason}`,
  notMade: (reason: string) => `Por que não foi feita: ${reason}`,
} as const
