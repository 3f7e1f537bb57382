import { useState } from 'react'
import { useShortcuts } from '../shortcuts/useShortcuts'
import { words } from '../words/pt-BR'
import { Button } from './Button'
import { messageOf } from './messageOf'
import { Notice } from './Notice'
import { useCountdown } from './useCountdown'

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
  const wait = useCountdown(error)

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

  useShortcuts(shortcut ? { [shortcut]: () => busy || wait > 0 || void act() } : {})

  return (
    <>
      <Button variant={variant} busy={busy} disabled={wait > 0} onClick={act}>
        {wait > 0 ? words.retryIn(wait) : label}
      </Button>
      {error !== null && <Notice kind="error">{messageOf(error)}</Notice>}
    </>
  )
}
