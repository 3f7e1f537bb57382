import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { useCan } from '../frame/queries'
import { ActionButton } from '../ui/ActionButton'
import { Card } from '../ui/Card'
import { Status } from '../ui/Status'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { openTestReceiver } from '../webhooks/changes'
import css from './HomePage.module.css'
import type { Home } from './queries'
import { homeWords } from './words'

const FIRST_CHARGE = graphql(`
  mutation FirstCharge($input: IssueChargeInput!) { issueCharge(input: $input) { id } }
`)
/** A payer for a charge of the test environment, marked as an example. The CPF is valid, and belongs to no known person. */
const EXAMPLE = {
  amount: 10,
  description: homeWords.exampleDescription,
  customerName: homeWords.examplePayer,
  customerEmail: 'pagador@example.com',
  customerCpf: '52998224725',
}

/** The way from an empty store to a payment that is seen. Each step is done when its result exists. */
export function FirstSteps({ home }: { home: Home }) {
  const can = useCan()
  const navigate = useNavigateFromHere()
  const keyOf = useIdempotencyKey()
  const { charges, withdrawalSummary, apiKeys, webhookEndpoints } = home.data
  if (!charges || !withdrawalSummary || !apiKeys || !webhookEndpoints || !can('openTestReceiver')) return null
  const steps = [
    { label: homeWords.steps.charge, done: charges.totalCount > 0 },
    { label: homeWords.steps.payment, done: withdrawalSummary.chargesCount > 0 },
    { label: homeWords.steps.webhook, done: webhookEndpoints.totalCount > 0 },
    { label: homeWords.steps.apiKey, done: apiKeys.totalCount > 0 },
  ]
  if (steps.every((step) => step.done)) return null

  async function begin() {
    if (webhookEndpoints?.totalCount === 0) await openTestReceiver(keyOf('receiver'))
    const { issueCharge } = await request(FIRST_CHARGE, { input: EXAMPLE }, { idempotencyKey: keyOf(EXAMPLE) })
    await navigate({ to: '/cobrancas/$id', params: { id: present(issueCharge).id } })
  }

  return (
    <Card title={charges.totalCount > 0 ? homeWords.firstSteps : homeWords.seePix}>
      {charges.totalCount === 0 && (
        <>
          <p>{homeWords.seePixLead}</p>
          <ActionButton variant="primary" label={homeWords.seePixButton} onAct={begin} />
        </>
      )}
      <ul className={css.tasks}>
        {steps.map((step) => (
          <li key={step.label} className={css.task}>
            {step.label} {step.done && <Status tone="good">{homeWords.done}</Status>}
          </li>
        ))}
      </ul>
    </Card>
  )
}
