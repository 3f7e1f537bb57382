import type { ReactNode } from 'react'
import { Heading } from '../ui/Heading'
import icon from '../ui/icon.svg'
import css from './EntryLayout.module.css'

type Props = { title: string; lead?: string; children: ReactNode; foot?: ReactNode }

/** The pages before a session: one card. */
export function EntryLayout({ title, lead, children, foot }: Props) {
  return (
    <main className={css.page}>
      <div className={css.card}>
        <img src={icon} alt="" width={40} height={40} />
        <Heading title={title} />
        {lead && <p className={css.lead}>{lead}</p>}
        {children}
        {foot && <div className={css.foot}>{foot}</div>}
      </div>
    </main>
  )
}
