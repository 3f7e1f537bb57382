import { useQuery } from '@tanstack/react-query'
import { NextSteps } from '../onboarding/NextSteps'
import { type Charge, type Timeline, timelineQuery } from './queries'

/** After a test payment whose event was delivered: what the store can do next. */
export function ChargeNextSteps({ charge }: { charge: Charge }) {
  const { data: timeline } = useQuery(timelineQuery(charge.id, charge.status))
  const paid = charge.environment === 'test' && charge.status === 'paid'
  return paid && timeline && isDelivered(timeline) ? <NextSteps /> : null
}

const isDelivered = ({ data }: Timeline): boolean =>
  (data.events?.edges ?? []).some(
    ({ node }) => node.type === 'charge.paid' && node.deliveries.some(({ status }) => status === 'delivered'),
  )
