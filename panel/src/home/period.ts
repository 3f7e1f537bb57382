import { addDays, dayOf } from '../ui/format'

export const PERIODS = ['hoje', '7', '30', '90', 'mes'] as const
export type Period = (typeof PERIODS)[number]

export const isPeriod = (value: unknown): value is Period => PERIODS.some((period) => period === value)

/** The first and last day of a period that ends today, as `2026-11-28`. */
export function daysOf(period: Period, now: Date): { from: string; to: string } {
  const to = dayOf(now)
  if (period === 'hoje') return { from: to, to }
  if (period === 'mes') return { from: `${to.slice(0, 8)}01`, to }
  return { from: addDays(to, 1 - Number(period)), to }
}
