import { type ReactNode, useId } from 'react'
import css from './Card.module.css'

type Props = { title: string; actions?: ReactNode; children: ReactNode }

/** A part of a page under its own heading. */
export function Card({ title, actions, children }: Props) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={css.card}>
      <div className={css.head}>
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  )
}
