import { type ReactNode, useEffect, useRef } from 'react'
import { words } from '../words/pt-BR'

/** The page's one h1. It names the tab and takes the focus, so that screen readers announce the new page. */
export function Heading({ title, children }: { title: string; children?: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · ${words.product}`
    if (!document.activeElement || document.activeElement === document.body || document.activeElement.closest('nav')) {
      heading.current?.focus()
    }
  }, [title])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? title}
    </h1>
  )
}
