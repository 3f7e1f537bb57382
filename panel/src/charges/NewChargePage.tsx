import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ask } from '../api/ask'
import { graphql } from '../api/gql'
import { present } from '../api/present'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { Form } from '../ui/Form'
import { parseMoney } from '../ui/format'
import { Heading } from '../ui/Heading'
import { Page } from '../ui/Page'
import { NewChargeFields } from './NewChargeFields'
import { type Charge, chargeQuery } from './queries'
import { chargeWords } from './words'

const ISSUE = graphql(`
  mutation IssueCharge($input: IssueChargeInput!) { issueCharge(input: $input) { id } }
`)

export function NewChargePage() {
  const { copiar } = useSearch({ from: '/frame/cobrancas/nova' })
  return (
    <Page
      back={
        <Link to="/cobrancas" search={{}}>
          {chargeWords.title}
        </Link>
      }
      heading={<Heading title={chargeWords.newCharge} />}
    >
      {copiar ? <CopiedCharge id={copiar} /> : <NewChargeForm />}
    </Page>
  )
}

function CopiedCharge({ id }: { id: string }) {
  const { data: charge } = useSuspenseQuery({ ...chargeQuery(id), refetchInterval: false })
  return <NewChargeForm copied={charge} />
}

function NewChargeForm({ copied }: { copied?: Charge }) {
  const navigate = useNavigate()
  const keyOf = useIdempotencyKey()

  async function issue(values: Record<string, string>) {
    const { amount = '', ...texts } = values
    const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))
    const input = { ...given, amount: parseMoney(amount) }
    const { issueCharge } = await ask(ISSUE, { input }, { idempotencyKey: keyOf(input) })
    await navigate({ to: '/cobrancas/$id', params: { id: present(issueCharge).id } })
  }

  return (
    <Form submit={chargeWords.issue} onSubmit={issue}>
      <NewChargeFields copied={copied} />
    </Form>
  )
}
