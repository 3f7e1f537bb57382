export type Step = 'day' | 'week' | 'month'

/** The instant a day, a week or a month later. A month after 31 January is the last day of February. */
export function later(iso: string, step: Step): string {
  const at = new Date(iso)
  if (step !== 'month') {
    at.setUTCDate(at.getUTCDate() + (step === 'day' ? 1 : 7))
    return at.toISOString()
  }
  const day = at.getUTCDate()
  at.setUTCMonth(at.getUTCMonth() + 1)
  if (at.getUTCDate() !== day) at.setUTCDate(0)
  return at.toISOString()
}
