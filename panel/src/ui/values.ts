import { dayOf, offsetOf, parseMoney, timeZone } from './format'

/** The values of a form, by field name, as texts. */
export type Values = Readonly<Record<string, string>>

/** The text of a field; null of an empty one. */
export const textOf = (value: string | undefined): string | null => value?.trim() || null

/** The reais of a money field; null of an empty one. */
export const moneyOf = (value: string | undefined): number | null => parseMoney(value ?? '')

/** The number of a field of digits; null of an empty one. */
export const numberOf = (value: string | undefined): number | null =>
  value && /\d/.test(value) ? Number(value.replace(',', '.')) : null

/** A money field's text of an amount. */
export const moneyText = (reais: number | null | undefined): string => reais?.toFixed(2) ?? ''

/** A date field's text of an instant. */
export const dayText = (instant: string | null | undefined): string => (instant ? dayOf(new Date(instant)) : '')

/**
 * The first moment of a date field's day in the store's zone. An edit that leaves the day leaves the time of day: then it
 * is the instant before.
 */
export const dayStart = (value: string | undefined, before?: string | null): string | null =>
  momentOf(value, before, '00:00:00')

/** The last moment of a date field's day in the store's zone, or the instant before, if its day is the same. */
export const dayEnd = (value: string | undefined, before?: string | null): string | null =>
  momentOf(value, before, '23:59:59.999999')

function momentOf(day: string | undefined, before: string | null | undefined, time: string): string | null {
  if (!day) return null
  if (before && dayText(before) === day) return before
  // The gateway takes a bare day in São Paulo's zone.
  return timeZone() === 'America/Sao_Paulo' ? day : `${day}T${time}${offsetOf(day)}`
}

/** The fields of an input that differ from the same fields of what is edited. The gateway changes what it is sent. */
export function changedFields<Input extends object>(input: Input, before: object): Partial<Input> {
  const old = Object.fromEntries(Object.entries(before))
  const changed = Object.entries(input).filter(([name, value]) => !same(value ?? null, old[name] ?? null))
  return Object.fromEntries(changed) as Partial<Input>
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
