import { useEffect, useRef } from 'react'
import { areShortcutsOn } from './preference'

const WHERE_KEYS_MEAN_TEXT = 'input, select, textarea, [role="dialog"]'

/** Act on single keys, such as `{ c: create }`, while no text is typed and no dialog is open. */
export function useShortcuts(actions: Readonly<Partial<Record<string, () => void>>>): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    function act(event: KeyboardEvent) {
      const action = latest.current[event.key]
      if (!action || event.ctrlKey || event.altKey || event.metaKey || !areShortcutsOn()) return
      if (event.target instanceof Element && event.target.closest(WHERE_KEYS_MEAN_TEXT)) return
      // Else the key is also typed into the field that it focuses.
      event.preventDefault()
      action()
    }
    addEventListener('keydown', act)
    return () => removeEventListener('keydown', act)
  }, [])
}
