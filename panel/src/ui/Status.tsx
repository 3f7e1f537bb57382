import { Icon, type IconName } from './icons'
import css from './Status.module.css'

export type Tone = 'good' | 'waiting' | 'bad' | 'quiet'

const ICONS: Record<Tone, IconName> = { good: 'check', waiting: 'clock', bad: 'alert', quiet: 'dash' }

/** A status: a word with an icon and a colour. */
export function Status({ tone, icon, children }: { tone: Tone; icon?: IconName; children: string }) {
  return (
    <span className={`${css.status} ${css[tone]}`}>
      <Icon name={icon ?? ICONS[tone]} size={14} />
      {children}
    </span>
  )
}
