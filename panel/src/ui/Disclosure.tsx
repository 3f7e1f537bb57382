import type { ReactNode } from 'react'
import css from './Disclosure.module.css'

/** Fields that few need, folded under a label. */
export function Disclosure({ label, open = false, children }: { label: string; open?: boolean; children: ReactNode }) {
  return (
    <details className={css.disclosure} open={open || undefined}>
      <summary>{label}</summary>
      <div className={css.content}>{children}</div>
    </details>
  )
}
