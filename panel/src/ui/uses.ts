import { words } from '../words/pt-BR'
import { formatInteger } from './format'

/** `3 de 10`, or `3` without a limit. */
export const formatUses = (uses: number, most: number | null | undefined): string =>
  most ? words.usesOf(formatInteger(uses), formatInteger(most)) : formatInteger(uses)
