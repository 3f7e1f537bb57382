import type { ExportFormat } from '../api/gql/graphql'

export const listWords = {
  all: 'Todas',
  any: 'Qualquer',
  search: 'Buscar',
  filters: (count: number) => (count > 0 ? `Filtros (${count})` : 'Filtros'),
  filtersTitle: 'Filtrar a lista',
  activeFilters: 'Filtros em uso',
  removeFilter: ' (remover)',
  apply: 'Aplicar',
  order: 'Ordem',
  export: 'Exportar',
  exportTitle: 'Exportar a lista',
  exportLead: 'O arquivo tem todas as linhas da lista, com estes filtros e nesta ordem.',
  rows: 'Linhas',
  searched: 'Busca',
  format: 'Formato',
  chooseColumns: 'Escolher as colunas',
  columns: 'Colunas do arquivo',
  checkAll: 'Marcar todas',
  uncheckAll: 'Desmarcar todas',
  download: 'Baixar arquivo',
  more: 'Mostrar mais',
  total: (total: string) => `Total: ${total}`,
  sum: (amount: string) => `Soma: ${amount}`,
  fresh: (count: number) => (count === 1 ? 'Mostrar 1 item novo' : `Mostrar ${count} itens novos`),
  nothingFound: 'Nada encontrado com esta busca e estes filtros.',
  docs: 'Ver na documentação',
  clearFilters: 'Limpar filtros',
  allMasculine: 'Todos',
  seeAll: 'Ver todas',
  seeAllMasculine: 'Ver todos',
} as const

export const exportFormats: Record<ExportFormat, string> = {
  excel: 'Planilha (Excel em português)',
  csv: 'CSV, para programas',
}
