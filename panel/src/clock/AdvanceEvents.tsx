import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card } from '../ui/Card'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Skeleton } from '../ui/Skeleton'
import { Timeline } from '../ui/Timeline'
import { eventsSinceQuery } from './queries'
import { clockWords } from './words'

type Props = { from: string; advancing: boolean }

/** The events of an advance, in their order. */
export function AdvanceEvents({ from, advancing }: Props) {
  const since = useQuery(eventsSinceQuery(from, advancing))
  return (
    <Card title={clockWords.happened}>
      {since.isPending && <Skeleton />}
      {since.error && <ErrorNotice error={since.error} onRetry={since.refetch} />}
      {since.data?.events.length === 0 && <p>{clockWords.nothing}</p>}
      {since.data && since.data.events.length > 0 && (
        <Timeline
          entries={since.data.events.map((event) => ({
            id: event.id,
            at: event.at,
            text: (
              <Link to="/dev/eventos/$id" params={{ id: event.id }}>
                {event.type}
              </Link>
            ),
          }))}
        />
      )}
      {since.data?.hasMore && (
        <Link to="/dev/eventos" search={{}}>
          {clockWords.more}
        </Link>
      )}
    </Card>
  )
}
