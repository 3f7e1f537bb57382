import type { ReactNode } from 'react'
import css from './Empty.module.css'

/** In place of a list without rows: what would be here, and what to do. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={css.empty}>
      <p className={css.title}>{title}</p>
      {children}
    </div>
  )
}
