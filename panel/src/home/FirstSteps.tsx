import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { useCan } from '../frame/queries'
import { NextSteps } from '../onboarding/NextSteps'
import { useSession } from '../session/useSession'
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
  const test = useSession()?.environment === 'test'
  const { charges, withdrawalSummary, apiKeys, webhookEndpoints, production } = home.data
  if (!charges || !withdrawalSummary || !apiKeys || !webhookEndpoints || !can('openTestReceiver')) return null
  const done = {
    charge: charges.totalCount > 0,
    payment: withdrawalSummary.chargesCount > 0,
    webhook: webhookEndpoints.totalCount > 0,
    apiKey: apiKeys.totalCount > 0,
  }
  const seen = done.charge && done.payment && done.webhook
  if (test && seen && production?.status === 'sandbox') return <NextSteps />
  if (seen && done.apiKey) return null
  const pending = charges.edges.find(({ node }) => node.status === 'pending')?.node.id
  const links: Record<keyof typeof done, ReactNode> = {
    charge: <Link to="/cobrancas/nova">{steps.charge}</Link>,
    payment: pending ? (
      <Link to="/cobrancas/$id" params={{ id: pending }}>
        {steps.payment}
      </Link>
    ) : (
      <Link to="/cobrancas/nova">{steps.payment}</Link>
    ),
    webhook: <Link to="/dev/webhooks/novo">{steps.webhook}</Link>,
    apiKey: <Link to="/dev/chaves/nova">{steps.apiKey}</Link>,
  }
  const offersTest = test && !done.charge
  return (
    <Card title={offersTest ? homeWords.seePix : homeWords.firstSteps}>
      {offersTest && <TestCharge hasEndpoint={done.webhook} />}
      <ul className={css.tasks}>
        {STEPS.map((step) => (
          <li key={step} className={css.task}>
            {done[step] ? steps[step] : links[step]} {done[step] && <Status tone="good">{homeWords.done}</Status>}
          </li>
        ))}
      </ul>
    </Card>
  )
}

const { steps } = homeWords
const STEPS = ['charge', 'payment', 'webhook', 'apiKey'] as const

/** Creates a charge that can be paid and, for its event, a test receiver. */
function TestCharge({ hasEndpoint }: { hasEndpoint: boolean }) {
  const navigate = useNavigateFromHere()
  const keyOf = useIdempotencyKey()

  async function create() {
    if (!hasEndpoint) await openTestReceiver(keyOf('receiver'))
    const { issueCharge } = await request(FIRST_CHARGE, { input: EXAMPLE }, { idempotencyKey: keyOf(EXAMPLE) })
    await navigate({ to: '/cobrancas/$id', params: { id: present(issueCharge).id } })
  }

  return (
    <>
      <p>{homeWords.seePixLead}</p>
      <ActionButton variant="primary" label={homeWords.seePixButton} onAct={create} />
    </>
  )
}
