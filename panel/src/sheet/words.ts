/** A page that is printed. */
export const sheetWords = {
  print: 'Imprimir',
} as const
