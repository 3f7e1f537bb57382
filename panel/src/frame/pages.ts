import type { Role } from '../api/gql/graphql'
import type { IconName } from '../ui/icons'
import { words } from '../words/pt-BR'

export type MenuPage = {
  path: '/' | '/cobrancas'
  label: string
  icon: IconName
  /** Who may open it; everybody without roles. */
  roles?: readonly Role[]
  /** A place in the phone's bottom bar. */
  bottom?: true
}

export const MENU: readonly MenuPage[] = [
  { path: '/', label: words.pages.home, icon: 'home', bottom: true },
  { path: '/cobrancas', label: words.pages.charges, icon: 'charges', bottom: true },
]

/** The pages of the menu for a role. */
export function menuFor(role: Role, menu: readonly MenuPage[] = MENU): readonly MenuPage[] {
  return menu.filter((page) => !page.roles || page.roles.includes(role))
}
