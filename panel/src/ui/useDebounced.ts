import { useEffect, useState } from 'react'

const TYPING_MILLISECONDS = 300

/** A text that is typed, after a pause of the typing. */
export function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), TYPING_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [text])
  return debounced
}
