import type { ChangesSubscription } from './gql/graphql'
import { graphql } from './graphql'
import { GRAPHQL, headersOf } from './request'

/** Without a byte for so long the connection is dead; the gateway sends one every 15 seconds. */
const SILENCE_MILLISECONDS = 40_000
const FIRST_PAUSE_MILLISECONDS = 2000
const MAX_PAUSE_MILLISECONDS = 60_000

const CHANGES = graphql(`
  subscription Changes { changes { type id action } }
`)

export type Change = ChangesSubscription['changes']

let connected = false

/** The interval of a query that is read again while no stream of changes is open. */
export const pollingInterval = (milliseconds: number) => () => (connected ? false : milliseconds)

/**
 * Report each change of the store, by server-sent events. A lost stream is opened again, until `signal` aborts; what changed
 * in between is unknown, and `onGap` says so.
 */
export async function followChanges(
  onChange: (change: Change) => void,
  onGap: () => void,
  signal: AbortSignal,
): Promise<void> {
  let pause = FIRST_PAUSE_MILLISECONDS
  let lost = false
  while (!signal.aborted) {
    await readStream(onChange, signal, () => {
      pause = FIRST_PAUSE_MILLISECONDS
      connected = true
      if (lost) onGap()
    }).catch(() => undefined)
    connected = false
    lost = true
    await sleep(pause, signal)
    pause = Math.min(2 * pause, MAX_PAUSE_MILLISECONDS)
  }
}

async function readStream(onChange: (change: Change) => void, signal: AbortSignal, onOpen: () => void): Promise<void> {
  const silence = new AbortController()
  const headers = { ...headersOf(), Accept: 'text/event-stream' }
  const body = JSON.stringify({ query: CHANGES.toString() })
  const response = await fetch(GRAPHQL, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.any([signal, silence.signal]),
  })
  if (!response.ok || !response.body) return
  onOpen()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const timer = setTimeout(() => silence.abort(), SILENCE_MILLISECONDS)
    const { done, value } = await reader.read().finally(() => clearTimeout(timer))
    if (done) return
    const events = (text + value).split('\n\n')
    text = events.pop() ?? ''
    for (const change of events.flatMap(changesOf)) onChange(change)
  }
}

/** The change of an event `next`. Comments, errors and the end have none. */
export function changesOf(event: string): Change[] {
  const data = /^event: ?next\ndata: ?(.*)$/m.exec(event)?.[1]
  if (data === undefined) return []
  const result: { data?: ChangesSubscription | null } = JSON.parse(data)
  return result.data ? [result.data.changes] : []
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
