import { type UseNavigateResult, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

/** `navigate` for after an answer: it does nothing once the caller is gone, as the user has chosen another page. */
export function useNavigateFromHere(): UseNavigateResult<string> {
  const navigate = useNavigate()
  const here = useRef(false)
  useEffect(() => {
    here.current = true
    return () => {
      here.current = false
    }
  }, [])
  return async (options) => {
    if (here.current) await navigate(options)
  }
}
