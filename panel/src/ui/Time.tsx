import { formatFullTime, formatPrintedTime, formatTime } from './format'

/** A time as people say it, with the full one in its title. Printed, it has its date. */
export function Time({ value }: { value: string }) {
  return (
    <time dateTime={value} title={formatFullTime(value)} data-printed={formatPrintedTime(value)}>
      {formatTime(value)}
    </time>
  )
}
