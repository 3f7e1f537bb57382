import { useEffect, useState } from 'react'

const secondsUntil = (end: number): number => Math.max(0, Math.ceil((end - Date.now()) / 1000))

/** The seconds until `end`, in milliseconds since 1970, read again each second. */
export function useSecondsLeft(end: number): number {
  const [left, setLeft] = useState(() => secondsUntil(end))
  useEffect(() => {
    const timer = setInterval(() => setLeft(secondsUntil(end)), 1000)
    return () => clearInterval(timer)
  }, [end])
  return left
}

/** `4:05` of 245 seconds. */
export const formatCountdown = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
