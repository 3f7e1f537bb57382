import type { ReactNode } from 'react'
import css from './Notice.module.css'

export function Notice({ kind, children }: { kind: 'error' | 'info'; children: ReactNode }) {
  return (
    <p className={`${css.notice} ${css[kind]}`} role={kind === 'error' ? 'alert' : 'status'}>
      {children}
    </p>
  )
}
