import type { ReactNode } from 'react'
import css from './Disclosure.module.css'

type Props = { label: string; open?: boolean; onOpen?: () => void; children: ReactNode }

/** Fields that few need, folded under a label. */
export function Disclosure({ label, open = false, onOpen, children }: Props) {
  return (
    <details
      className={css.disclosure}
      open={open || undefined}
      onToggle={({ currentTarget }) => currentTarget.open && onOpen?.()}
    >
      <summary>{label}</summary>
      <div className={css.content}>{children}</div>
    </details>
  )
}
