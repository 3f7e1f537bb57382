import type { CustomerColumn, CustomerOrder } from '../api/gql/graphql'

export const customerOrders: Partial<Record<CustomerOrder, string>> = {
  created_at_desc: 'Mais novos',
  created_at_asc: 'Mais antigos',
  updated_at_desc: 'Alterados por último',
  name_asc: 'Nome, de A a Z',
  name_desc: 'Nome, de Z a A',
}

/** Names of the columns of an exported file. */
export const customerExportColumns: Record<CustomerColumn, string> = {
  id: 'Identificador',
  created_at: 'Cadastrado',
  updated_at: 'Alterado',
  name: 'Nome',
  email: 'E-mail',
  cpf: 'CPF ou CNPJ',
  phone: 'Telefone',
  environment: 'Ambiente',
}

export const customerWords = {
  title: 'Clientes',
  search: 'Nome, e-mail, CPF ou telefone',
  empty: 'Nenhum cliente ainda',
  emptyLead: 'Quem você cadastra aqui pode ser cobrado sem digitar os dados de novo.',
  newCustomer: 'Novo cliente',
  create: 'Cadastrar cliente',
  name: 'Nome',
  email: 'E-mail',
  document: 'CPF ou CNPJ',
  phone: 'Telefone com DDD',
  created: 'Cadastrado',
  updated: 'Alterado',
  createdFrom: 'Cadastrado desde',
  createdTo: 'Cadastrado até',
  details: 'Dados',
  charge: 'Cobrar',
  subscribe: 'Criar assinatura',
  removeTitle: 'Excluir este cliente?',
  removeLead: 'As cobranças e assinaturas ficam, sem o cadastro. Isto não pode ser desfeito.',
  removeConfirm: 'Excluir cliente',
} as const
