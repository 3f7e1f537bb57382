import type { Charge } from './queries'

type Dated = Pick<Charge, 'environment' | 'createdAt' | 'paidAt' | 'expiresAt'>

/**
 * The store's time of an instant. The audit trail and deliveries have real times, and the charge has those of the store,
 * whose clock may be ahead in a test. What the charge dates says how far it was ahead at that act and from then on.
 */
export function storeTimes(
  records: readonly { action: string; createdAt: string }[],
  { environment, createdAt, paidAt, expiresAt }: Dated,
): (real: string) => string {
  if (environment !== 'test') return (real) => real
  const dates: Record<string, string | null | undefined> = {
    'charge.created': createdAt,
    'charge.paid': paidAt,
    'charge.expired': expiresAt,
  }
  const known = records.flatMap((record) => {
    const date = dates[record.action]
    const at = Date.parse(record.createdAt)
    return date ? [{ at, ahead: Date.parse(date) - at }] : []
  })
  return (real) => {
    const at = Date.parse(real)
    const last = known.findLast((act) => act.at <= at) ?? known[0]
    return new Date(at + (last?.ahead ?? 0)).toISOString()
  }
}
