import { type ReactNode, useEffect, useRef } from 'react'
import css from './SectionNav.module.css'

/** The pages of one section, as a row of links. On a phone it scrolls to the current one. */
export function SectionNav({ label, children }: { label: string; children: ReactNode }) {
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <nav ref={nav} aria-label={label} className={css.nav}>
      {children}
    </nav>
  )
}
