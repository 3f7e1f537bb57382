import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { request } from '../api/request'
import { ChargesOf } from '../charges/ChargesOf'
import { useCan } from '../frame/queries'
import { Card } from '../ui/Card'
import { StopEditingButton } from '../ui/EditButtons'
import { Facts } from '../ui/Facts'
import { formatDocument } from '../ui/format'
import { Heading } from '../ui/Heading'
import { Money } from '../ui/Money'
import { Notice } from '../ui/Notice'
import { Page } from '../ui/Page'
import { paidFacts } from '../ui/paidFacts'
import { Time } from '../ui/Time'
import { useEditing } from '../ui/useEditing'
import { formatUses } from '../ui/uses'
import { changedFields } from '../ui/values'
import { words } from '../words/pt-BR'
import { type Subscription, subscriptionQuery, UPDATE_SUBSCRIPTION } from './queries'
import { SubscriptionActions } from './SubscriptionActions'
import { SubscriptionForm, type SubscriptionInput } from './SubscriptionForm'
import { SubscriptionStatus } from './SubscriptionStatus'
import { UpcomingCharges } from './UpcomingCharges'
import { formatEvery, subscriptionWords } from './words'

export function SubscriptionPage() {
  const { id } = useParams({ from: '/frame/assinaturas/$id' })
  const { data: subscription } = useSuspenseQuery(subscriptionQuery(id))
  const can = useCan()
  const [editing, stop] = useEditing(can('updateSubscription'))
  const cache = useQueryClient()
  const { customerName, amount } = subscription

  async function save(input: SubscriptionInput) {
    await request(UPDATE_SUBSCRIPTION, { input: { id, ...changedFields(input, subscription) } })
    await cache.invalidateQueries({ queryKey: ['subscriptions'] })
    await stop()
  }

  return (
    <Page
      back={
        <Link to="/assinaturas" search={{}}>
          {subscriptionWords.title}
        </Link>
      }
      heading={
        <Heading key={String(editing)} title={customerName}>
          <Money value={amount} /> · {customerName}
        </Heading>
      }
      status={<SubscriptionStatus subscription={subscription} />}
      notice={<FailureNotice subscription={subscription} />}
      actions={!editing && <SubscriptionActions subscription={subscription} />}
      aside={!editing && <UpcomingCharges subscription={subscription} />}
    >
      {editing ? (
        <SubscriptionForm
          subscription={subscription}
          submit={words.save}
          cancel={<StopEditingButton />}
          onSubmit={save}
        />
      ) : (
        <>
          <Card title={subscriptionWords.details}>
            <Facts facts={factsOf(subscription)} />
          </Card>
          <ChargesOf parent="subscriptionId" id={id} />
        </>
      )}
    </Page>
  )
}

/** Why the last charge failed, and what to do. */
function FailureNotice({ subscription: { lastFailure, customerCpf } }: { subscription: Subscription }) {
  if (!lastFailure) return null
  return (
    <Notice kind="error">
      <strong>{subscriptionWords.failureTitle}</strong> {lastFailure}{' '}
      {customerCpf ? subscriptionWords.cure : subscriptionWords.cureDocument}
    </Notice>
  )
}

function factsOf(subscription: Subscription) {
  const { customer, nextBillingAt, endDate, customerCpf } = subscription
  return [
    { term: subscriptionWords.amount, value: <Money value={subscription.amount} /> },
    { term: subscriptionWords.every, value: formatEvery(subscription) },
    { term: subscriptionWords.next, value: nextBillingAt ? <Time value={nextBillingAt} /> : subscriptionWords.noNext },
    { term: subscriptionWords.cycles, value: formatUses(subscription.cyclesCount, subscription.maxCycles) },
    ...paidFacts(subscription),
    { term: subscriptionWords.endDate, value: endDate && <Time value={endDate} /> },
    { term: subscriptionWords.description, value: subscription.description },
    {
      term: subscriptionWords.customer,
      value: customer && (
        <Link to="/clientes/$id" params={{ id: customer.id }}>
          {customer.name}
        </Link>
      ),
    },
    { term: subscriptionWords.email, value: subscription.customerEmail },
    { term: subscriptionWords.document, value: customerCpf && formatDocument(customerCpf) },
    { term: subscriptionWords.reference, value: subscription.externalReference },
    { term: subscriptionWords.created, value: <Time value={subscription.createdAt} /> },
    { term: subscriptionWords.updated, value: <Time value={subscription.updatedAt} /> },
  ]
}
