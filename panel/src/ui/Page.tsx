import type { ReactNode } from 'react'
import { Icon } from './icons'
import css from './Page.module.css'

type Props = {
  /** The link to the list. */
  back: ReactNode
  heading: ReactNode
  status?: ReactNode
  actions?: ReactNode
  /** What must be read first. */
  notice?: ReactNode
  /** At the right on a desk, first on a phone. */
  aside?: ReactNode
  children: ReactNode
}

/** The page of one thing: the way back, its name and status, what can be done, and its parts. */
export function Page({ back, heading, status, actions, notice, aside, children }: Props) {
  return (
    <>
      <div className={css.back}>
        <Icon name="back" size={16} />
        {back}
      </div>
      <div className={css.head}>
        {heading}
        {status}
      </div>
      {notice}
      {actions && <div className={css.actions}>{actions}</div>}
      <div className={aside ? css.columns : css.main}>
        {aside && <div className={css.aside}>{aside}</div>}
        <div className={css.main}>{children}</div>
      </div>
    </>
  )
}
