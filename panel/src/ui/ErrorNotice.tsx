import { useEffect, useState } from 'react'
import { GatewayError } from '../api/errors'
import { words } from '../words/pt-BR'
import { Button } from './Button'
import css from './ErrorNotice.module.css'
import { messageOf } from './messageOf'

type Props = { error: unknown; onRetry?: () => void }

/** In place of content that could not be read: the gateway's sentence, its code, and another try. */
export function ErrorNotice({ error, onRetry }: Props) {
  const code = error instanceof GatewayError ? error.code : null
  const wait = useCountdown(error instanceof GatewayError ? error.retryAfter : null)
  return (
    <div className={css.error} role="alert">
      <p>{messageOf(error)}</p>
      {code && <small>{code}</small>}
      {onRetry && (
        <Button variant="plain" onClick={onRetry} disabled={wait > 0}>
          {wait > 0 ? words.retryIn(wait) : words.retry}
        </Button>
      )}
    </div>
  )
}

/** The seconds that are left of `seconds`. */
function useCountdown(seconds: number | null): number {
  const [left, setLeft] = useState(seconds ?? 0)
  useEffect(() => {
    setLeft(seconds ?? 0)
    if (!seconds) return
    const timer = setInterval(() => setLeft((now) => Math.max(0, now - 1)), 1000)
    return () => clearInterval(timer)
  }, [seconds])
  return left
}
