import { formatFullTime, formatTime } from './format'

/** A time as people say it, with the full one in its title. */
export function Time({ value }: { value: string }) {
  return (
    <time dateTime={value} title={formatFullTime(value)}>
      {formatTime(value)}
    </time>
  )
}
