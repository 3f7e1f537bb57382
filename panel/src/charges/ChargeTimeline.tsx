import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { RefundStatus } from '../refunds/RefundStatus'
import { refundWords } from '../refunds/words'
import { Card } from '../ui/Card'
import { ErrorNotice } from '../ui/ErrorNotice'
import { formatMoney } from '../ui/format'
import { Skeleton } from '../ui/Skeleton'
import { Timeline, type TimelineEntry } from '../ui/Timeline'
import { type Charge, type Timeline as Data, timelineQuery } from './queries'
import { storeTimes } from './storeTimes'
import { chargeActions, chargeWords } from './words'

/** The charge's story: the audit trail, the events, and their deliveries. */
export function ChargeTimeline({ charge }: { charge: Charge }) {
  const timeline = useQuery(timelineQuery(charge.id, charge.status))
  const failure = timeline.error ?? Object.values(timeline.data?.errors ?? {})[0]
  return (
    <Card title={chargeWords.timeline}>
      {timeline.isPending && <Skeleton />}
      {failure && <ErrorNotice error={failure} onRetry={timeline.refetch} />}
      {timeline.data && <Timeline entries={entriesOf(timeline.data, charge)} />}
    </Card>
  )
}

function entriesOf({ data }: Data, charge: Charge): TimelineEntry[] {
  const { refunds } = charge
  const storeTime = storeTimes(data.auditRecords?.edges.map(({ node }) => node) ?? [], charge)
  // Each refund of the store has a record of the charge, too. A bank's own refund ends the charge, so it comes after them.
  let recorded = refunds.filter((refund) => refund.status === 'completed').length
  const records = (data.auditRecords?.edges ?? [])
    .filter(({ node }) => node.action !== 'charge.refunded' || recorded-- <= 0)
    .map(({ node }) => ({
      id: node.id,
      at: storeTime(node.createdAt),
      text: chargeActions[node.action] ?? node.action,
      detail: node.actorName,
    }))
  const deliveries = (data.events?.edges ?? []).flatMap(({ node: event }) =>
    event.deliveries.map((delivery) => ({
      id: delivery.id,
      at: storeTime(delivery.finishedAt ?? event.createdAt),
      text: (
        <Link to="/dev/webhooks/$id/entregas/$deliveryId" params={{ id: delivery.endpointId, deliveryId: delivery.id }}>
          {deliveryText(event.type, delivery)}
        </Link>
      ),
    })),
  )
  return [...records, ...deliveries, ...refunds.map(refundEntry)].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

function refundEntry(refund: Charge['refunds'][number]): TimelineEntry {
  const { reason, rejectReason } = refund
  const reasons = [reason && refundWords.becauseOf(reason), rejectReason && refundWords.notMade(rejectReason)]
  return {
    id: refund.id,
    at: refund.completedAt ?? refund.rejectedAt ?? refund.createdAt,
    text: (
      <>
        {refundWords.entry(formatMoney(refund.amount))} <RefundStatus status={refund.status} />
      </>
    ),
    detail: reasons.filter(Boolean).join(' · '),
  }
}

type Delivery = NonNullable<Data['data']['events']>['edges'][number]['node']['deliveries'][number]

function deliveryText(event: string, { status, attempts }: Delivery): string {
  const last = attempts[attempts.length - 1]
  if (status === 'delivered' && last) return chargeWords.delivered(event, last.durationMs)
  if (status === 'canceled' || status === 'exhausted') return chargeWords.notDelivered(event)
  return chargeWords.delivering(event, attempts.length)
}
