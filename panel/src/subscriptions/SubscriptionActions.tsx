import { useQueryClient } from '@tanstack/react-query'
import type { SubscriptionStatus } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { useCan } from '../frame/queries'
import { ActionButton } from '../ui/ActionButton'
import { ConfirmButton } from '../ui/ConfirmButton'
import { EditButton } from '../ui/EditButtons'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { words } from '../words/pt-BR'
import { type Subscription, subscriptionQuery, UPDATE_SUBSCRIPTION } from './queries'
import { subscriptionWords } from './words'

const CHARGE = graphql(`
  mutation ChargeSubscription($id: ID!) { chargeSubscription(id: $id) { id } }
`)
const DELETE = graphql(`
  mutation DeleteSubscription($id: ID!) { deleteSubscription(id: $id) { id } }
`)

/** What may be done with the subscription now. */
export function SubscriptionActions({ subscription }: { subscription: Subscription }) {
  const can = useCan()
  const cache = useQueryClient()
  const navigate = useNavigateFromHere()
  const keyOf = useIdempotencyKey()
  const { id, status } = subscription

  async function change(next: SubscriptionStatus) {
    await request(UPDATE_SUBSCRIPTION, { input: { id, status: next } })
    await cache.invalidateQueries({ queryKey: ['subscriptions'] })
  }

  async function charge() {
    const { chargeSubscription } = await request(CHARGE, { id }, { idempotencyKey: keyOf(id) })
    await cache.invalidateQueries({ queryKey: ['subscriptions'] })
    await navigate({ to: '/cobrancas/$id', params: { id: present(chargeSubscription).id } })
  }

  async function remove() {
    await request(DELETE, { id })
    await navigate({ to: '/assinaturas', search: {} })
    cache.removeQueries(subscriptionQuery(id))
    await cache.invalidateQueries({ queryKey: ['subscriptions'] })
  }

  return (
    <>
      {status !== 'canceled' && can('chargeSubscription') && (
        <ConfirmButton
          label={subscriptionWords.chargeNow}
          title={subscriptionWords.chargeNowTitle}
          lead={subscriptionWords.chargeNowLead}
          confirm={subscriptionWords.chargeNow}
          onConfirm={charge}
        />
      )}
      {can('updateSubscription') && <EditButton />}
      {can('updateSubscription') && <StatusActions status={status} onChange={change} />}
      {can('deleteSubscription') && (
        <ConfirmButton
          label={words.remove}
          title={subscriptionWords.removeTitle}
          lead={subscriptionWords.removeLead}
          confirm={subscriptionWords.removeConfirm}
          onConfirm={remove}
        />
      )}
    </>
  )
}

type StatusProps = { status: SubscriptionStatus; onChange: (status: SubscriptionStatus) => Promise<void> }

function StatusActions({ status, onChange }: StatusProps) {
  if (status === 'canceled') {
    return <ActionButton label={subscriptionWords.reactivate} onAct={() => onChange('active')} />
  }
  return (
    <>
      {status === 'paused' ? (
        <ActionButton label={subscriptionWords.resume} onAct={() => onChange('active')} />
      ) : (
        <ConfirmButton
          label={subscriptionWords.pause}
          title={subscriptionWords.pauseTitle}
          lead={subscriptionWords.pauseLead}
          confirm={subscriptionWords.pauseConfirm}
          onConfirm={() => onChange('paused')}
        />
      )}
      <ConfirmButton
        label={subscriptionWords.cancel}
        title={subscriptionWords.cancelTitle}
        lead={subscriptionWords.cancelLead}
        confirm={subscriptionWords.cancel}
        onConfirm={() => onChange('canceled')}
      />
    </>
  )
}
