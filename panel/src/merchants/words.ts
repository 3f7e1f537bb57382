import type { MerchantColumn, MerchantOrder, ProductionStatus } from '../api/gql/graphql'

export const merchantOrders: Record<MerchantOrder, string> = {
  queue: 'Quem espera há mais tempo',
  created_at_desc: 'Mais novos',
  created_at_asc: 'Mais antigos',
}

/** What the history says of each new status. */
export const moves: Record<ProductionStatus, string> = {
  sandbox: 'Voltou ao teste',
  pending: 'Pediu a liberação',
  approved: 'Liberada',
  rejected: 'Recusada',
  suspended: 'Suspensa',
}

/** The reasons that come up most. The staff may change the text before it is sent. */
export const REASONS = {
  unreadable: {
    label: 'Documento ilegível',
    text: 'Um dos documentos está ilegível. Envie uma foto ou um arquivo mais nítido, com as bordas inteiras.',
  },
  different: {
    label: 'Dados diferentes',
    text: 'Os dados do cadastro não correspondem aos do documento da empresa. Corrija o cadastro ou envie o documento certo.',
  },
  expired: {
    label: 'Documento vencido',
    text: 'O comprovante de endereço tem mais de 90 dias. Envie um mais recente.',
  },
  person: {
    label: 'Responsável não consta',
    text: 'O responsável não aparece no documento da empresa. Envie o documento de um sócio ou uma procuração.',
  },
} as const

/** Names of the columns of an exported file. */
export const merchantExportColumns: Record<MerchantColumn, string> = {
  id: 'Identificador',
  name: 'Pessoa',
  email: 'E-mail',
  company: 'Loja',
  cnpj: 'CNPJ',
  phone: 'Telefone',
  production_status: 'Situação',
  production_requested_at: 'Pediu',
  production_reviewed_at: 'Decisão',
  production_reject_reason: 'Último motivo',
  created_at: 'Conta criada',
}

export const merchantWords = {
  title: 'Lojistas',
  back: 'Lojistas',
  store: 'Loja',
  person: 'Pessoa',
  status: 'Situação',
  requested: 'Pediu',
  reviewed: 'Decisão',
  created: 'Conta criada',
  createdFrom: 'Criada desde',
  createdTo: 'Criada até',
  search: 'Nome, e-mail, loja, CNPJ ou identificador',
  empty: 'Nenhum lojista ainda',
  details: 'Cadastro',
  email: 'E-mail',
  phone: 'Telefone',
  companyType: 'Tipo de empresa',
  address: 'Endereço',
  terms: 'Aceitou os termos',
  reason: 'Último motivo',
  submitted: 'O que foi pedido e o que há agora',
  item: 'Item',
  submittedValue: 'No pedido',
  now: 'Agora',
  result: 'Comparação',
  same: 'Igual',
  changed: 'Mudou',
  missing: 'Nada',
  fingerprint: (sha256: string) => `arquivo ${sha256.slice(0, 8)}`,
  never: 'Esta loja ainda não pediu a liberação.',
  documents: 'Documentos',
  noDocuments: 'Nenhum documento enviado.',
  file: 'Arquivo',
  sent: 'Enviado',
  look: 'Ver',
  download: 'Baixar',
  history: 'Histórico',
  approve: 'Liberar',
  approveTitle: 'Liberar esta loja para produção?',
  approveLead: 'A loja passa a receber de verdade na próxima requisição, e o titular recebe um e-mail.',
  refuse: 'Recusar',
  refuseTitle: 'Recusar o pedido',
  refuseLead: 'O lojista lê este motivo no painel e por e-mail.',
  template: 'Modelo',
  noTemplate: 'Escrever o motivo',
  motive: 'Motivo',
  suspend: 'Suspender',
  suspendTitle: 'Suspender a operação em produção',
  suspendLead: 'A loja deixa de emitir cobranças em produção. O motivo é opcional, e o lojista o lê.',
  reactivate: 'Reativar',
  reactivateTitle: 'Reativar esta loja?',
  reactivateLead: 'A loja volta a operar em produção na próxima requisição.',
  own: 'Ninguém analisa a própria loja, nem uma em que trabalha. Outra pessoa da equipe decide.',
  decidedByOther: 'Alguém decidiu antes de você. A página mostra a situação de agora.',
  next: 'Próximo da fila',
} as const
