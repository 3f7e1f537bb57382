import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Environment } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { useSession } from '../session/useSession'
import { Card } from '../ui/Card'
import { Choice } from '../ui/Choice'
import { Code } from '../ui/Code'
import { Heading } from '../ui/Heading'
import { LinkButton } from '../ui/LinkButton'
import { Status } from '../ui/Status'
import css from './QuickStartPage.module.css'
import { CHARGE_BODY, LANGUAGES, languageOf, sampleOf } from './samples'
import { developerWords } from './words'

const STEPS = graphql(`
  query QuickStart($environment: Environment!) {
    apiKeys(first: 1, filter: { status: active, environment: $environment }) { edges { node { prefix } } }
    charges(first: 0) { totalCount }
    paid: charges(first: 0, filter: { status: paid }) { totalCount }
    webhookEndpoints(first: 0) { totalCount }
  }
`)

/** The first four steps of an integration, with this address and the newest key's first characters. */
export function QuickStartPage() {
  const environment = useSession()?.environment ?? 'test'
  const { linguagem } = useSearch({ from: '/frame/developers/dev' })
  const navigate = useNavigate()
  const language = languageOf(linguagem)
  const steps = useQuery({
    queryKey: ['quick start', environment],
    queryFn: ({ signal }) => request(STEPS, { environment }, { signal }),
  })
  const prefix = steps.data?.apiKeys?.edges[0]?.node.prefix
  const sample = { address: location.origin, key: prefix ? `${prefix}…` : 'SUA_CHAVE' }
  return (
    <>
      <Heading title={developerWords.quickStart} />
      <div className={css.head}>
        <p>{developerWords.lead}</p>
        <Choice
          label={developerWords.language}
          value={language}
          options={LANGUAGES}
          onChange={(value) => void navigate({ to: '.', search: { linguagem: value }, replace: true })}
        />
      </div>
      <KeyStep prefix={prefix} />
      <Card title={developerWords.chargeTitle} actions={done(steps.data?.charges)}>
        <p>{developerWords.chargeLead}</p>
        <Code
          text={sampleOf(language, { ...sample, path: '/pix', idempotencyKey: 'pedido-1042', body: CHARGE_BODY })}
        />
      </Card>
      <Card title={developerWords.payTitle} actions={done(steps.data?.paid)}>
        <PayStep environment={environment} text={sampleOf(language, { ...sample, ...PAYMENT })} />
      </Card>
      <WebhookStep count={steps.data?.webhookEndpoints} />
      <Card title={developerWords.address}>
        <Code text={location.origin} />
        <a href="/docs">{developerWords.docs}</a>
        <a href="/graphql">{developerWords.graphql}</a>
        <a href="/docs/ambiente-de-teste">{developerWords.guide}</a>
      </Card>
    </>
  )
}

const PAYMENT = { path: '/pix/simulate-payment', body: { id: 'ID_DA_COBRANCA' } }

function KeyStep({ prefix }: { prefix: string | undefined }) {
  const can = useCan()
  return (
    <Card title={developerWords.keyTitle} actions={prefix && <Status tone="good">{developerWords.done}</Status>}>
      <p>{developerWords.keyLead}</p>
      {prefix && (
        <p>
          {developerWords.keyYours} <code>{prefix}</code>
        </p>
      )}
      <div>
        {can('createApiKey') ? (
          <LinkButton to="/dev/chaves/nova" variant={prefix ? 'plain' : 'primary'}>
            {developerWords.keyNew}
          </LinkButton>
        ) : (
          <LinkButton to="/dev/chaves" search={{}} variant="plain">
            {developerWords.keyList}
          </LinkButton>
        )}
      </div>
    </Card>
  )
}

function PayStep({ environment, text }: { environment: Environment; text: string }) {
  if (environment === 'live') return <p>{developerWords.payLive}</p>
  return (
    <>
      <p>{developerWords.payLead}</p>
      <Code text={text} />
    </>
  )
}

function WebhookStep({ count }: { count: Count }) {
  const can = useCan()
  const some = Boolean(count?.totalCount)
  return (
    <Card title={developerWords.webhookTitle} actions={done(count)}>
      <p>{developerWords.webhookLead}</p>
      <div>
        {can('createWebhookEndpoint') && !some ? (
          <LinkButton to="/dev/webhooks/novo">{developerWords.webhookNew}</LinkButton>
        ) : (
          <LinkButton to="/dev/webhooks" search={{}} variant="plain">
            {developerWords.webhookList}
          </LinkButton>
        )}
      </div>
    </Card>
  )
}

type Count = { totalCount: number } | null | undefined

function done(count: Count) {
  return count?.totalCount ? <Status tone="good">{developerWords.done}</Status> : null
}
