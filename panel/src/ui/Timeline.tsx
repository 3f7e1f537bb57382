import type { ReactNode } from 'react'
import { Time } from './Time'
import css from './Timeline.module.css'

export type TimelineEntry = { id: string; at: string; text: ReactNode; detail?: ReactNode }

/** Entries in the order of time. */
export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  return (
    <ol className={css.timeline}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <div>{entry.text}</div>
          <small>
            <Time value={entry.at} />
            {entry.detail && <> · {entry.detail}</>}
          </small>
        </li>
      ))}
    </ol>
  )
}
