import type { ProductColumn, ProductOrder, ProductStatus } from '../api/gql/graphql'

export const productStatuses: Record<ProductStatus, string> = { active: 'Ativos', inactive: 'Desativados' }

export const productOrders: Partial<Record<ProductOrder, string>> = {
  created_at_desc: 'Mais novos',
  created_at_asc: 'Mais antigos',
  updated_at_desc: 'Alterados por último',
  name_asc: 'Nome, de A a Z',
  name_desc: 'Nome, de Z a A',
  price_desc: 'Maior preço',
  price_asc: 'Menor preço',
}

/** Names of the columns of an exported file. */
export const productExportColumns: Record<ProductColumn, string> = {
  id: 'Identificador',
  user_id: 'Identificador da loja',
  environment: 'Ambiente',
  name: 'Nome',
  description: 'Descrição',
  price: 'Preço',
  sku: 'Código (SKU)',
  image_url: 'Endereço da imagem',
  active: 'Ativo',
  external_reference: 'Sua referência',
  metadata: 'Metadados',
  created_at: 'Cadastrado',
  updated_at: 'Alterado',
}

export const productWords = {
  title: 'Produtos',
  status: 'Situação',
  search: 'Nome, descrição ou código',
  empty: 'Nenhum produto ainda',
  emptyLead: 'Cadastre o que você vende para cobrar e criar links sem digitar o preço de novo.',
  newProduct: 'Novo produto',
  create: 'Cadastrar produto',
  name: 'Nome',
  price: 'Preço',
  description: 'Descrição',
  descriptionHint: 'O pagador vê este texto na página de pagamento.',
  sku: 'Código (SKU)',
  skuHint: 'Único na loja. Até 64 caracteres.',
  imageUrl: 'Endereço da imagem',
  imageUrlHint: 'Aparece quando o link de pagamento é compartilhado.',
  reference: 'Sua referência',
  options: 'Mais opções',
  created: 'Cadastrado',
  updated: 'Alterado',
  createdFrom: 'Cadastrado desde',
  createdTo: 'Cadastrado até',
  active: 'Ativo',
  inactive: 'Desativado',
  details: 'Detalhes',
  makeLink: 'Criar link',
  charge: 'Cobrar',
  deactivate: 'Desativar',
  activate: 'Ativar',
  removeTitle: 'Excluir este produto?',
  removeLead:
    'Os links dele continuam com o próprio valor. As cobranças ficam, sem o produto. Isto não pode ser desfeito.',
  removeConfirm: 'Excluir produto',
} as const
