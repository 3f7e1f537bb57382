import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import { GatewayError, Unreachable } from '../api/errors'
import { Button } from '../ui/Button'
import { Heading } from '../ui/Heading'
import { messageOf } from '../ui/messageOf'
import { useCountdown } from '../ui/useCountdown'
import { words } from '../words/pt-BR'
import css from './Failure.module.css'
import { isReachable, PageUnreachable } from './lazyPage'

const CHUNK_GONE = /dynamically imported module|importing a module script|Unable to preload/

/** In place of a page that failed. */
export function Failure({ error, reset }: ErrorComponentProps) {
  const queries = useQueryErrorResetBoundary()
  const router = useRouter()
  const known = error instanceof GatewayError || error instanceof Unreachable
  const expected = known || error instanceof PageUnreachable
  const outdated = error instanceof Error && CHUNK_GONE.test(error.message)
  const label = expected ? words.retry : words.failure.reload
  const wait = useCountdown(error)

  const retry = useCallback(async () => {
    if (known) {
      queries.reset()
      reset()
      void router.invalidate()
    } else if (await isReachable()) location.reload()
  }, [known, queries, reset, router])

  useEffect(() => {
    addEventListener('online', retry)
    return () => removeEventListener('online', retry)
  }, [retry])

  return (
    <div className={css.failure} role="alert">
      <Heading title={outdated ? words.failure.outdated : words.failure.title} />
      {!outdated && <p>{expected ? messageOf(error) : words.failure.unexpected}</p>}
      {error instanceof GatewayError && error.code && <small>{error.code}</small>}
      <Button onClick={retry} disabled={wait > 0}>
        {wait > 0 ? words.retryIn(wait) : label}
      </Button>
    </div>
  )
}

export function NotFound() {
  return (
    <div className={css.failure}>
      <Heading title={words.failure.notFound} />
      <Link to="/">{words.failure.goHome}</Link>
    </div>
  )
}
