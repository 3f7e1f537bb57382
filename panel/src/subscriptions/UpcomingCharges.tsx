import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCan } from '../frame/queries'
import { Button } from '../ui/Button'
import { Card } from '../ui/Card'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Money } from '../ui/Money'
import { Skeleton } from '../ui/Skeleton'
import { Time } from '../ui/Time'
import { AdvanceButton } from './AdvanceButton'
import { type Subscription, upcomingQuery } from './queries'
import css from './UpcomingCharges.module.css'
import { subscriptionWords } from './words'

const FEW = 6
const MANY = 60

/** The calendar of the next charges. */
export function UpcomingCharges({ subscription }: { subscription: Subscription }) {
  const can = useCan()
  const [count, setCount] = useState(FEW)
  const { id, environment, nextBillingAt, lastFailure } = subscription
  const upcoming = useQuery({
    ...upcomingQuery(id, count),
    enabled: can('upcomingCharges'),
    placeholderData: keepPreviousData,
  })
  if (!can('upcomingCharges')) return null
  const rows = upcoming.data ?? []
  return (
    <Card title={subscriptionWords.upcoming}>
      {upcoming.isPending && <Skeleton />}
      {upcoming.error && <ErrorNotice error={upcoming.error} onRetry={upcoming.refetch} />}
      {upcoming.data && rows.length === 0 && <p>{subscriptionWords.noUpcoming}</p>}
      {rows.length > 0 && (
        <ol className={css.calendar}>
          {rows.map((charge) => (
            <li key={charge.cycle}>
              <span>
                <Time value={charge.billingAt} />
                <small>{subscriptionWords.cycle(charge.cycle)}</small>
              </span>
              <Money value={charge.amount} />
            </li>
          ))}
        </ol>
      )}
      {count === FEW && rows.length === FEW && (
        <Button variant="plain" onClick={() => setCount(MANY)}>
          {subscriptionWords.moreUpcoming}
        </Button>
      )}
      {environment === 'test' && nextBillingAt && !lastFailure && rows.length > 0 && can('advanceTestClock') && (
        <AdvanceButton to={nextBillingAt} />
      )}
    </Card>
  )
}
