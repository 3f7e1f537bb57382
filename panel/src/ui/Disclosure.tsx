import type { ReactNode } from 'react'
import css from './Disclosure.module.css'

type Props = { label: string; open?: boolean; children: ReactNode }

/** Fields that few need, folded under a label. */
export function Disclosure({ label, open = false, children }: Props) {
  return (
    <details className={css.disclosure} open={open || undefined}>
      <summary>{label}</summary>
      <div className={css.content}>{children}</div>
    </details>
  )
}
