import type { IconName } from '../ui/icons'
import { words } from '../words/pt-BR'
import type { Can, Viewer } from './queries'

export type MenuPage = {
  path:
    | '/'
    | '/cobrancas'
    | '/links'
    | '/assinaturas'
    | '/clientes'
    | '/produtos'
    | '/cupons'
    | '/saldo'
    | '/dev'
    | '/ajustes'
    | '/servico'
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
  { path: '/links', label: words.pages.links, icon: 'links', needs: 'paymentLinks' },
  { path: '/assinaturas', label: words.pages.subscriptions, icon: 'subscriptions', needs: 'subscriptions' },
  { path: '/clientes', label: words.pages.customers, icon: 'customers', needs: 'customers' },
  { path: '/produtos', label: words.pages.products, icon: 'catalog', needs: 'products' },
  { path: '/cupons', label: words.pages.coupons, icon: 'coupons', needs: 'coupons' },
  { path: '/saldo', label: words.pages.balance, icon: 'balance', needs: 'withdrawalSummary', bottom: true },
  { path: '/dev', label: words.pages.developers, icon: 'developers', needs: 'apiKeys' },
  { path: '/ajustes', label: words.pages.settings, icon: 'settings' },
  { path: '/servico', label: words.pages.service, icon: 'service', needs: 'merchants' },
]

/** The pages of the menu that the caller may open. Staff without its second factor learns from its page what to do. */
export function menuFor(can: Can, { lacksSecondFactor }: Viewer): readonly MenuPage[] {
  return MENU.filter((page) => !page.needs || can(page.needs) || (page.path === '/servico' && lacksSecondFactor))
}
