const STORED = 'painel-atalhos'
const OFF = 'nao'

/** Whether single keys act on this device. Who dictates needs them off (WCAG 2.1.4). */
export const areShortcutsOn = (): boolean => localStorage.getItem(STORED) !== OFF

export function storeShortcutsOn(on: boolean): void {
  if (on) localStorage.removeItem(STORED)
  else localStorage.setItem(STORED, OFF)
}
