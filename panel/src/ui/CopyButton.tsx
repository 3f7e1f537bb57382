import { useState } from 'react'
import { useShortcuts } from '../shortcuts/useShortcuts'
import { words } from '../words/pt-BR'
import { Button } from './Button'

const SHOWN_MILLISECONDS = 2000

type Props = {
  text: string
  label: string
  variant?: 'primary' | 'plain'
  /** The key that copies, too. */
  shortcut?: string
}

/** Copies a text, and says so to screen readers as well. */
export function CopyButton({ text, label, variant = 'plain', shortcut }: Props) {
  const [result, setResult] = useState<string | null>(null)

  async function copy() {
    try {
      // On a plain http address there is no clipboard.
      await navigator.clipboard.writeText(text)
      setResult(words.copied)
    } catch {
      setResult(words.notCopied)
    }
    setTimeout(() => setResult(null), SHOWN_MILLISECONDS)
  }

  useShortcuts(shortcut ? { [shortcut]: () => void copy() } : {})

  return (
    <>
      <Button variant={variant} onClick={copy}>
        {result ?? label}
      </Button>
      <span role="status" className="visually-hidden">
        {result}
      </span>
    </>
  )
}
