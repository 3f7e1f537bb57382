import { type RefObject, useRef } from 'react'
import { useShortcuts } from '../shortcuts/useShortcuts'

/** `j` and `k` focus the link of the next and the previous row; Enter then opens it. Returns the ref of what holds the rows. */
export function useRowShortcuts<Holder extends HTMLElement>(): RefObject<Holder | null> {
  const holder = useRef<Holder>(null)

  function move(step: 1 | -1) {
    const rows = [...(holder.current?.querySelectorAll('tbody tr') ?? [])]
    const focused = rows.findIndex((row) => row.contains(document.activeElement))
    const next = focused < 0 ? rows[0] : rows[focused + step]
    next?.querySelector('a')?.focus()
  }

  useShortcuts({ j: () => move(1), k: () => move(-1) })
  return holder
}
