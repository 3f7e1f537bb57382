import { useState } from 'react'
import { useShortcuts } from '../shortcuts/useShortcuts'
import { Button } from './Button'
import { messageOf } from './messageOf'
import { Notice } from './Notice'

type Props = {
  label: string
  variant?: 'primary' | 'plain'
  /** The key that presses the button, too. */
  shortcut?: string
  onAct: () => Promise<unknown>
}

/** A button that sends a request: it can't be pressed twice, and shows why the request failed. */
export function ActionButton({ label, variant = 'plain', shortcut, onAct }: Props) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)

  async function act() {
    setBusy(true)
    setError(null)
    try {
      await onAct()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  useShortcuts(shortcut ? { [shortcut]: () => busy || void act() } : {})

  return (
    <>
      <Button variant={variant} busy={busy} onClick={act}>
        {label}
      </Button>
      {error !== null && <Notice kind="error">{messageOf(error)}</Notice>}
    </>
  )
}
