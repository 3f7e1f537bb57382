import { Link } from '@tanstack/react-router'
import type { Interval, SubscriptionStatus as StatusValue } from '../api/gql/graphql'
import { Money } from '../ui/Money'
import type { Column } from '../ui/Table'
import { Time } from '../ui/Time'
import { SubscriptionStatus } from './SubscriptionStatus'
import { formatEvery, subscriptionWords } from './words'

type Row = {
  id: string
  customerName: string
  amount: number
  interval: Interval
  intervalCount: number
  status: StatusValue
  lastFailure?: string | null
  nextBillingAt?: string | null
}

/** The columns of every list of subscriptions. */
export const subscriptionColumns: readonly Column<Row>[] = [
  {
    label: subscriptionWords.payer,
    cell: (subscription) => (
      <Link to="/assinaturas/$id" params={{ id: subscription.id }}>
        {subscription.customerName}
      </Link>
    ),
  },
  {
    label: subscriptionWords.amountColumn,
    align: 'end',
    cell: (subscription) => <Money value={subscription.amount} />,
  },
  { label: subscriptionWords.status, cell: (subscription) => <SubscriptionStatus subscription={subscription} /> },
  { label: subscriptionWords.every, cell: formatEvery },
  {
    label: subscriptionWords.next,
    cell: ({ nextBillingAt }) =>
      nextBillingAt && (
        <>
          <span className="phone-only">{subscriptionWords.next}: </span>
          <Time value={nextBillingAt} />
        </>
      ),
  },
]
