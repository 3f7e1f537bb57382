import type { Role } from '../api/gql/graphql'
import { words } from '../words/pt-BR'

export type MenuPage = {
  path: '/'
  label: string
  /** Who may open it. */
  roles: readonly Role[]
}

const EVERYONE: readonly Role[] = ['owner', 'admin', 'finance', 'operator', 'viewer']

export const MENU: readonly MenuPage[] = [{ path: '/', label: words.pages.home, roles: EVERYONE }]

/** The pages of the menu for a role. */
export function menuFor(role: Role, menu: readonly MenuPage[] = MENU): readonly MenuPage[] {
  return menu.filter((page) => page.roles.includes(role))
}
