import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useCan } from '../frame/queries'
import { ActionButton } from '../ui/ActionButton'
import { Card } from '../ui/Card'
import { Time } from '../ui/Time'
import { setActive } from './changes'
import type { Endpoint } from './queries'
import { disabledReasons, webhookWords } from './words'

type Props = {
  endpoint: Endpoint
  /** Begins the last step. */
  onActivate: () => void
}

/** Why an endpoint receives nothing, and the way back. */
export function InactiveSteps({ endpoint: { id, disabledReason, disabledAt }, onActivate }: Props) {
  const can = useCan()
  const cache = useQueryClient()
  const activate = async () => {
    await setActive(id, true)
    onActivate()
    await cache.invalidateQueries({ queryKey: ['webhooks'] })
  }
  return (
    <Card title={webhookWords.offTitle}>
      <p>
        {disabledReason ? disabledReasons[disabledReason] : webhookWords.offByYou}{' '}
        {disabledAt && (
          <>
            {webhookWords.disabledAt} <Time value={disabledAt} />.
          </>
        )}
      </p>
      <ol>
        {disabledReason && (
          <>
            <li>
              {webhookWords.offLog}{' '}
              <Link to="." search={{ status: 'exhausted' }}>
                {webhookWords.offLogLink}
              </Link>
            </li>
            <li>{webhookWords.offMend}</li>
          </>
        )}
        <li>{webhookWords.offActivate}</li>
        <li>{webhookWords.offReplay}</li>
      </ol>
      {can('updateWebhookEndpoint') && (
        <div>
          <ActionButton variant="primary" label={webhookWords.activate} onAct={activate} />
        </div>
      )}
    </Card>
  )
}
