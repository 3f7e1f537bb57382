import type { EventColumn } from '../api/gql/graphql'

export const eventExportColumns: Record<EventColumn, string> = {
  id: 'Identificador',
  type: 'Evento',
  created_at: 'Ocorreu',
  resource_id: 'Identificador da cobrança ou do saque',
  test: 'Teste',
}

export const eventWords = {
  title: 'Eventos',
  search: 'Id do evento, da cobrança ou do saque, ou nome do evento',
  type: 'Evento',
  test: 'teste',
  resource: 'Cobrança ou saque',
  occurred: 'Ocorreu',
  createdFrom: 'Ocorreu desde',
  createdTo: 'Ocorreu até',
  empty: 'Nenhum evento ainda',
  emptyLead:
    'Aqui fica tudo o que acontece na loja, haja ou não um endpoint que receba. Gere uma cobrança para ver o primeiro.',
  details: 'Detalhes',
  id: 'Id',
  example: 'Evento de exemplo, enviado a pedido.',
  payload: 'Corpo',
  deliveries: 'Entregas',
  noDeliveries: 'Nenhum endpoint recebe este evento.',
  endpoint: 'Endpoint',
  status: 'Situação',
  answer: 'Resposta',
  removed: 'Endpoint excluído',
} as const
