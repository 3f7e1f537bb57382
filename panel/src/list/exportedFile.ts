import type { ExportFormat } from '../api/gql/graphql'

/** A file that the gateway writes of a list: its columns by name, with labels, and what requests its address. */
export type ExportedFile = {
  columns: Readonly<Record<string, string>>
  begin: (format: ExportFormat, columns: readonly string[]) => Promise<{ url: string }>
}

export function exportedFile<Column extends string>(
  columns: { readonly [name in Column]: string },
  begin: (choice: { format: ExportFormat; columns: Column[] }) => Promise<{ url: string }>,
): ExportedFile {
  const names = Object.keys(columns) as Column[]
  return {
    columns,
    begin: (format, chosen) => begin({ format, columns: names.filter((name) => chosen.includes(name)) }),
  }
}

const stored = () => `painel-colunas:${location.pathname}`

/** What the last file of this page's list was not to have: a new column of the API is in the next one. */
export const readUnwantedColumns = (): string[] => (localStorage.getItem(stored()) ?? '').split(',')

export function storeUnwantedColumns(columns: readonly string[]): void {
  localStorage.setItem(stored(), columns.join())
}
