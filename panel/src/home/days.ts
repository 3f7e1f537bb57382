import { addDays, dayOf } from '../ui/format'
import type { Period } from './period'

/** The first and last day of a period that ends today, as `2026-11-28`. */
export function daysOf(period: Period, now: Date): { from: string; to: string } {
  const to = dayOf(now)
  if (period === 'hoje') return { from: to, to }
  if (period === 'mes') return { from: `${to.slice(0, 8)}01`, to }
  return { from: addDays(to, 1 - Number(period)), to }
}
