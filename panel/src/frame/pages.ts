import type { IconName } from '../ui/icons'
import { words } from '../words/pt-BR'
import type { Can } from './queries'

export type MenuPage = {
  path: '/' | '/cobrancas'
  label: string
  icon: IconName
  /** The query that the page needs. */
  needs?: string
  /** A place in the phone's bottom bar. */
  bottom?: true
}

export const MENU: readonly MenuPage[] = [
  { path: '/', label: words.pages.home, icon: 'home', bottom: true },
  { path: '/cobrancas', label: words.pages.charges, icon: 'charges', needs: 'charges', bottom: true },
]

/** The pages of the menu that the caller may open. */
export function menuFor(can: Can): readonly MenuPage[] {
  return MENU.filter((page) => !page.needs || can(page.needs))
}
