import type { ApiKeyColumn, ApiKeyOrder, ApiKeyStatus, Scope } from '../api/gql/graphql'

export const keyStatuses: Record<ApiKeyStatus, string> = { active: 'Ativas', inactive: 'Inativas' }

export const keyOrders: Partial<Record<ApiKeyOrder, string>> = {
  created_at_desc: 'Mais novas',
  created_at_asc: 'Mais antigas',
  last_used_at_desc: 'Usadas por último',
  last_used_at_asc: 'Usadas há mais tempo',
}

export const keyExportColumns: Record<ApiKeyColumn, string> = {
  id: 'Identificador',
  name: 'Nome',
  prefix: 'Começa com',
  environment: 'Ambiente',
  active: 'Ativa',
  scopes: 'Permissões',
  expires_at: 'Vence',
  last_used_at: 'Último uso',
  created_at: 'Criada',
}

/** What a key may do, as sentences. */
export const scopes: Record<Scope, string> = {
  read: 'Ler os dados da loja',
  charges: 'Gerar cobranças e cuidar de clientes e assinaturas',
  catalogue: 'Cuidar de produtos, cupons e links de pagamento',
  withdrawals: 'Pedir saques',
  refunds: 'Devolver pagamentos',
}

export const keyWords = {
  title: 'Chaves de API',
  status: 'Situação',
  search: 'Nome ou começo da chave',
  name: 'Nome',
  nameHint: 'De que sistema é a chave. Por exemplo: site da loja.',
  prefix: 'Começa com',
  environment: 'Ambiente',
  environmentHint: 'Uma chave vale em um ambiente só, e isso não muda depois.',
  active: 'Ativa',
  inactive: 'Desativada',
  expired: 'Vencida',
  lastUsed: 'Último uso',
  neverUsed: 'Nunca usada',
  created: 'Criada',
  createdFrom: 'Criada desde',
  createdTo: 'Criada até',
  expires: 'Vence',
  expiresAt: 'Vale até (opcional)',
  expiresHint: 'O dia inteiro conta. Sem data, a chave vale até ser revogada.',
  never: 'Não vence',
  empty: 'Nenhuma chave ainda',
  emptyLead: 'Com uma chave, o seu sistema gera cobranças e lê os dados da loja.',
  newKey: 'Nova chave',
  create: 'Criar chave',
  access: 'O que a chave pode fazer',
  accessHint: 'Isto não muda depois.',
  fullAccess: 'Tudo o que uma chave pode',
  someAccess: 'Só o que eu marcar',
  scopes: 'Permissões',
  keepTitle: 'Guarde a chave agora',
  keepLead:
    'Esta é a única vez em que a chave completa aparece. Guarde-a onde ficam as senhas do seu sistema, nunca no código.',
  details: 'Detalhes',
  rename: 'Renomear',
  deactivate: 'Desativar',
  deactivateTitle: 'Desativar esta chave?',
  deactivateLead: 'O gateway recusa a chave já na próxima requisição. Você pode ativá-la de novo.',
  deactivateConfirm: 'Desativar chave',
  activate: 'Ativar',
  revoke: 'Revogar',
  revokeTitle: 'Revogar esta chave?',
  revokeLead: 'Os sistemas que a usam deixam de funcionar já na próxima requisição. Isto não pode ser desfeito.',
  revokeConfirm: 'Revogar chave',
} as const
