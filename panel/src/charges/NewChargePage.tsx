import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { customerQuery } from '../customers/queries'
import { Denied } from '../frame/Denied'
import { useCan } from '../frame/queries'
import { productQuery } from '../products/queries'
import { Form } from '../ui/Form'
import { Heading } from '../ui/Heading'
import { Page } from '../ui/Page'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { dayEnd, moneyOf, type Values } from '../ui/values'
import { NewChargeFields } from './NewChargeFields'
import { chargeQuery } from './queries'
import { type Start, startOfCharge, startOfCustomer, startOfProduct } from './start'
import { chargeWords } from './words'

const ISSUE = graphql(`
  mutation IssueCharge($input: IssueChargeInput!) { issueCharge(input: $input) { id } }
`)

export function NewChargePage() {
  const can = useCan()
  const { copiar, cliente, produto } = useSearch({ from: '/frame/cobrancas/nova' })
  if (!can('issueCharge')) return <Denied title={chargeWords.newCharge} />
  return (
    <Page
      back={
        <Link to="/cobrancas" search={{}}>
          {chargeWords.title}
        </Link>
      }
      heading={<Heading title={chargeWords.newCharge} />}
    >
      <StartedForm key={copiar ?? cliente ?? produto} copied={copiar} customer={cliente} product={produto} />
    </Page>
  )
}

type Started = { copied: string | undefined; customer: string | undefined; product: string | undefined }

/** The form with what the address names: a charge to copy, a customer, or a product. */
function StartedForm({ copied, customer, product }: Started) {
  if (copied) return <CopiedCharge id={copied} />
  if (customer) return <ChargeOfCustomer id={customer} />
  if (product) return <ChargeOfProduct id={product} />
  return <NewChargeForm start={{ values: {} }} />
}

function CopiedCharge({ id }: { id: string }) {
  const { data: charge } = useSuspenseQuery({ ...chargeQuery(id), refetchInterval: false })
  return <NewChargeForm start={startOfCharge(charge)} />
}

function ChargeOfCustomer({ id }: { id: string }) {
  const { data: customer } = useSuspenseQuery(customerQuery(id))
  return <NewChargeForm start={startOfCustomer(customer)} />
}

function ChargeOfProduct({ id }: { id: string }) {
  const { data: product } = useSuspenseQuery(productQuery(id))
  return <NewChargeForm start={startOfProduct(product)} />
}

function NewChargeForm({ start }: { start: Start }) {
  const navigate = useNavigateFromHere()
  const keyOf = useIdempotencyKey()

  async function issue(values: Values) {
    const { amount, expiresAt, ...texts } = values
    const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))
    const input = { ...given, amount: moneyOf(amount), expiresAt: dayEnd(expiresAt) }
    const { issueCharge } = await request(ISSUE, { input }, { idempotencyKey: keyOf(input) })
    await navigate({ to: '/cobrancas/$id', params: { id: present(issueCharge).id } })
  }

  return (
    <Form submit={chargeWords.issue} onSubmit={issue}>
      <NewChargeFields start={start} />
    </Form>
  )
}
