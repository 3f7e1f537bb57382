import type { Interval, SubscriptionColumn, SubscriptionOrder, SubscriptionStatus } from '../api/gql/graphql'

export const subscriptionStatuses: Record<SubscriptionStatus, string> = {
  active: 'Ativa',
  paused: 'Pausada',
  canceled: 'Cancelada',
}

export const subscriptionTabs: Record<SubscriptionStatus, string> = {
  active: 'Ativas',
  paused: 'Pausadas',
  canceled: 'Canceladas',
}

const everyInterval: Record<Interval, string> = {
  weekly: 'Toda semana',
  monthly: 'Todo mês',
  quarterly: 'Todo trimestre',
  semiannual: 'Todo semestre',
  yearly: 'Todo ano',
}

export const oneInterval: Record<Interval, string> = {
  weekly: 'Semana',
  monthly: 'Mês',
  quarterly: 'Trimestre',
  semiannual: 'Semestre',
  yearly: 'Ano',
}

export const intervals: Record<Interval, string> = {
  weekly: 'Semanas',
  monthly: 'Meses',
  quarterly: 'Trimestres',
  semiannual: 'Semestres',
  yearly: 'Anos',
}

/** How often a subscription charges: every month, or every few of them. */
export const formatEvery = ({ interval, intervalCount }: { interval: Interval; intervalCount: number }): string =>
  intervalCount === 1 ? everyInterval[interval] : `A cada ${intervalCount} ${intervals[interval].toLowerCase()}`

export const subscriptionOrders: Partial<Record<SubscriptionOrder, string>> = {
  created_at_desc: 'Mais novas',
  created_at_asc: 'Mais antigas',
  updated_at_desc: 'Alteradas por último',
  next_billing_at_asc: 'Cobram primeiro',
  next_billing_at_desc: 'Cobram por último',
  amount_desc: 'Maior valor',
  amount_asc: 'Menor valor',
}

/** Names of the columns of an exported file. */
export const subscriptionExportColumns: Record<SubscriptionColumn, string> = {
  id: 'Identificador',
  user_id: 'Identificador da loja',
  environment: 'Ambiente',
  customer_id: 'Identificador do cliente',
  customer_name: 'Nome do pagador',
  customer_email: 'E-mail do pagador',
  customer_cpf: 'CPF ou CNPJ do pagador',
  description: 'Descrição',
  amount: 'Valor',
  method: 'Meio de pagamento',
  interval: 'Intervalo',
  interval_count: 'Intervalos entre cobranças',
  status: 'Situação',
  next_billing_at: 'Próxima cobrança',
  end_date: 'Cobra até',
  max_cycles: 'Quantidade de cobranças',
  cycles_count: 'Cobranças feitas',
  external_reference: 'Sua referência',
  metadata: 'Metadados',
  last_failure: 'Última falha',
  created_at: 'Criada',
  updated_at: 'Alterada',
}

export const subscriptionWords = {
  title: 'Assinaturas',
  status: 'Situação',
  search: 'Nome, e-mail, CPF, descrição ou referência',
  empty: 'Nenhuma assinatura ainda',
  emptyLead: 'Uma assinatura gera uma cobrança Pix de tempos em tempos, como todo mês, e avisa os seus sistemas.',
  newSubscription: 'Nova assinatura',
  create: 'Criar assinatura',
  payer: 'Pagador',
  amount: 'Valor de cada cobrança',
  amountColumn: 'Valor',
  every: 'Cobra',
  intervalCount: 'Cobra a cada',
  interval: 'Intervalo',
  next: 'Próxima cobrança',
  nextHint: 'Sem data, a primeira cobrança é ao fim do primeiro intervalo.',
  noNext: 'Sem próxima data',
  description: 'Descrição',
  descriptionHint: 'O pagador vê este texto em cada cobrança. Até 140 caracteres.',
  customer: 'Cliente cadastrado',
  customerHint: 'Escolha um cliente para preencher os dados do pagador.',
  name: 'Nome do pagador',
  email: 'E-mail do pagador',
  document: 'CPF ou CNPJ do pagador',
  documentHint: 'Sem documento não é possível cobrar.',
  options: 'Mais opções',
  endDate: 'Cobra até',
  endDateHint: 'Sem data, não tem fim.',
  maxCycles: 'Quantidade de cobranças',
  maxCyclesHint: 'Sem número, não há limite.',
  reference: 'Sua referência',
  created: 'Criada',
  updated: 'Alterada',
  createdFrom: 'Criada desde',
  createdTo: 'Criada até',
  nextFrom: 'Cobra a partir de',
  nextTo: 'Cobra até',
  failing: 'Com falha na última cobrança',
  failed: 'Com falha',
  ofCustomer: 'De um cliente',
  details: 'Detalhes',
  cycles: 'Cobranças feitas',
  failureTitle: 'A última cobrança falhou.',
  cure: 'Resolva o motivo. O sistema tenta de novo sozinho, em até uma hora.',
  cureDocument: 'Preencha o CPF ou CNPJ em «Editar». O sistema cobra sozinho, em até uma hora.',
  upcoming: 'Próximas cobranças',
  noUpcoming: 'Nenhuma cobrança prevista.',
  moreUpcoming: 'Mostrar mais datas',
  cycle: (cycle: number) => `Cobrança nº ${cycle}`,
  advance: 'Avançar até a próxima',
  advanceTitle: 'Avançar o relógio de teste?',
  advanceLead:
    'O relógio de toda a loja, no ambiente de teste, vai até a próxima cobrança. O que vence no caminho acontece. O relógio não volta.',
  advanceConfirm: 'Avançar o relógio',
  chargeNow: 'Cobrar agora',
  chargeNowTitle: 'Cobrar agora?',
  chargeNowLead: 'Gera uma cobrança a mais. A próxima data não muda.',
  pause: 'Pausar',
  pauseTitle: 'Pausar esta assinatura?',
  pauseLead: 'Nada é cobrado até você retomar.',
  pauseConfirm: 'Pausar assinatura',
  resume: 'Retomar',
  cancel: 'Cancelar assinatura',
  cancelTitle: 'Cancelar esta assinatura?',
  cancelLead: 'Ela não cobra mais. As cobranças já geradas continuam valendo. Você pode reativar depois.',
  reactivate: 'Reativar',
  removeTitle: 'Excluir esta assinatura?',
  removeLead:
    'As cobranças dela ficam, sem a assinatura. Isto não pode ser desfeito. Para só parar de cobrar, cancele.',
  removeConfirm: 'Excluir assinatura',
  activeCount: 'Ativas',
  monthlyAmount: 'Por mês',
  failingCount: 'Com falha',
  next30Days: 'Próximos 30 dias',
  figures: 'Resumo das assinaturas',
} as const
