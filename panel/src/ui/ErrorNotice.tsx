import { GatewayError } from '../api/errors'
import { words } from '../words/pt-BR'
import { Button } from './Button'
import css from './ErrorNotice.module.css'
import { messageOf } from './messageOf'
import { useCountdown } from './useCountdown'

type Props = { error: unknown; onRetry?: () => void }

/** In place of content that could not be read: the gateway's sentence, its code, and another try. */
export function ErrorNotice({ error, onRetry }: Props) {
  const code = error instanceof GatewayError ? error.code : null
  const wait = useCountdown(error)
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
