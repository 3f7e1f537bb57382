import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card } from '../ui/Card'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Skeleton } from '../ui/Skeleton'
import { Timeline } from '../ui/Timeline'
import { eventsBetweenQuery } from './queries'
import { clockWords } from './words'

type Props = { from: string; to: string; advancing: boolean }

/** The events of an advance, in their order. */
export function AdvanceEvents({ from, to, advancing }: Props) {
  const between = useQuery(eventsBetweenQuery(from, to, advancing))
  return (
    <Card title={clockWords.happened}>
      {between.isPending && <Skeleton />}
      {between.error && <ErrorNotice error={between.error} onRetry={between.refetch} />}
      {between.data?.events.length === 0 && <p>{clockWords.nothing}</p>}
      {between.data && between.data.events.length > 0 && (
        <Timeline
          entries={between.data.events.map((event) => ({
            id: event.id,
            at: event.createdAt,
            text: (
              <Link to="/dev/eventos/$id" params={{ id: event.id }}>
                {event.type}
              </Link>
            ),
          }))}
        />
      )}
      {between.data?.hasMore && (
        <Link to="/dev/eventos" search={{}}>
          {clockWords.more}
        </Link>
      )}
    </Card>
  )
}
