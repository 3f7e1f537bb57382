import { useQuery } from '@tanstack/react-query'
import { Card } from '../ui/Card'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Skeleton } from '../ui/Skeleton'
import { Timeline } from '../ui/Timeline'
import { type Charge, timelineQuery } from './queries'
import { chargeActions, chargeWords } from './words'

/** The charge's story, from the audit trail. */
export function ChargeTimeline({ charge }: { charge: Charge }) {
  const timeline = useQuery(timelineQuery(charge.id, charge.status))
  return (
    <Card title={chargeWords.timeline}>
      {timeline.isPending && <Skeleton />}
      {timeline.error && <ErrorNotice error={timeline.error} onRetry={timeline.refetch} />}
      {timeline.data && (
        <Timeline
          entries={timeline.data.map((record) => ({
            id: record.id,
            at: record.createdAt,
            text: chargeActions[record.action] ?? record.action,
            detail: record.actorName,
          }))}
        />
      )}
    </Card>
  )
}
