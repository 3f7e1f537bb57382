import { useEffect, useState } from 'react'
import { GatewayError } from '../api/errors'

/** The seconds to wait before another try, which the gateway's error says. */
export function useCountdown(error: unknown): number {
  const seconds = error instanceof GatewayError ? (error.retryAfter ?? 0) : 0
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    setLeft(seconds)
    if (!seconds) return
    const timer = setInterval(() => setLeft((now) => Math.max(0, now - 1)), 1000)
    return () => clearInterval(timer)
  }, [error, seconds])
  return left
}
