import { logOut } from '../session/endSession'
import { ActionButton } from '../ui/ActionButton'
import { words } from '../words/pt-BR'
import css from './AccountBox.module.css'
import { EnvironmentSwitch } from './EnvironmentSwitch'
import type { Viewer } from './queries'
import { StoreSwitch } from './StoreSwitch'

export function AccountBox({ viewer, onLeave }: { viewer: Viewer; onLeave?: () => void }) {
  return (
    <section aria-label={words.frame.account} className={css.box}>
      <StoreSwitch viewer={viewer} />
      <EnvironmentSwitch onLeave={onLeave} />
      <p className={css.name}>{viewer.user.email}</p>
      <ActionButton label={words.frame.logout} onAct={logOut} />
    </section>
  )
}
