import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { IssueChargeInput } from '../api/gql/graphql'
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
import { Notice } from '../ui/Notice'
import { Page } from '../ui/Page'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { dayEnd, moneyOf, textOf, type Values } from '../ui/values'
import { BlockerLink } from './BlockerLink'
import { type Blocker, blockerOf, useBlocker } from './blocker'
import { metadataOf } from './MetadataFields'
import { NewChargeFields } from './NewChargeFields'
import { chargeQuery } from './queries'
import { type Start, startOfCharge, startOfCustomer, startOfProduct } from './start'
import { blockers, chargeWords } from './words'

const ISSUE = graphql(`
  mutation IssueCharge($input: IssueChargeInput!) { issueCharge(input: $input) { id } }
`)

export function NewChargePage() {
  const can = useCan()
  const blocker = useBlocker()
  // A form that is open stays when the account's approval is lost: it may be half filled, and the gateway decides.
  const [isOpen, setOpen] = useState(!blocker)
  if (!blocker && !isOpen) setOpen(true)
  const { copiar, cliente, produto } = useSearch({ from: '/frame/cobrancas/nova' })
  // In live, a store that isn't approved lacks the operation itself.
  if (!can('issueCharge') && blocker !== 'PRODUCAO_NAO_LIBERADA') return <Denied title={chargeWords.newCharge} />
  return (
    <Page
      back={
        <Link to="/cobrancas" search={{}}>
          {chargeWords.title}
        </Link>
      }
      heading={<Heading title={chargeWords.newCharge} />}
    >
      {blocker && (!isOpen || blocker === 'PRODUCAO_NAO_LIBERADA') ? (
        <>
          <Notice kind="info">{blockers[blocker].reason}</Notice>
          <BlockerLink blocker={blocker} />
        </>
      ) : (
        <StartedForm key={copiar ?? cliente ?? produto} copied={copiar} customer={cliente} product={produto} />
      )}
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
  const [blocker, setBlocker] = useState<Blocker | null>(null)

  async function issue(values: Values) {
    const input = inputOf(values)
    try {
      const { issueCharge } = await request(ISSUE, { input }, { idempotencyKey: keyOf(input) })
      await navigate({ to: '/cobrancas/$id', params: { id: present(issueCharge).id } })
    } catch (error) {
      setBlocker(blockerOf(error))
      throw error
    }
  }

  return (
    <Form submit={chargeWords.issue} cancel={blocker && <BlockerLink blocker={blocker} />} onSubmit={issue}>
      <NewChargeFields start={start} />
    </Form>
  )
}

const inputOf = (values: Values): IssueChargeInput => ({
  amount: moneyOf(values.amount),
  description: textOf(values.description),
  customerId: textOf(values.customerId),
  customerName: textOf(values.customerName),
  customerEmail: textOf(values.customerEmail),
  customerCpf: textOf(values.customerCpf),
  customerPhone: textOf(values.customerPhone),
  productId: textOf(values.productId),
  couponCode: textOf(values.couponCode),
  novoCliente: values.novoCliente !== undefined,
  expiresAt: dayEnd(values.expiresAt),
  externalReference: textOf(values.externalReference),
  successUrl: textOf(values.successUrl),
  cancelUrl: textOf(values.cancelUrl),
  metadata: metadataOf(values),
})
