import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { SheetHead } from '../sheet/SheetHead'
import { Card } from '../ui/Card'
import { Facts } from '../ui/Facts'
import { formatDocument, formatPhone } from '../ui/format'
import { Heading } from '../ui/Heading'
import { Money } from '../ui/Money'
import { Notice } from '../ui/Notice'
import { Page } from '../ui/Page'
import { Time } from '../ui/Time'
import { ChargeActions } from './ChargeActions'
import { ChargeCode } from './ChargeCode'
import { ChargeForDevelopers } from './ChargeForDevelopers'
import { ChargeNextSteps } from './ChargeNextSteps'
import { ChargeStatus } from './ChargeStatus'
import { ChargeTimeline } from './ChargeTimeline'
import { type Charge, chargeQuery } from './queries'
import { chargeWords } from './words'

export function ChargePage() {
  const { id } = useParams({ from: '/frame/cobrancas/$id' })
  const { data: charge } = useSuspenseQuery(chargeQuery(id))
  const metadata = Object.entries(charge.metadata ?? {}).map(([term, value]) => ({ term, value: String(value) }))
  const title = charge.customerName ?? charge.description ?? chargeWords.noPayer
  return (
    <>
      <SheetHead about={charge.status === 'paid' ? chargeWords.receipt : chargeWords.one} />
      <Page
        back={
          <Link to="/cobrancas" search={{}}>
            {chargeWords.title}
          </Link>
        }
        heading={
          <Heading title={title}>
            <Money value={charge.amount} /> · {title}
          </Heading>
        }
        status={<ChargeStatus {...charge} />}
        actions={<ChargeActions charge={charge} />}
        aside={
          <>
            {charge.status === 'pending' && <ChargeCode charge={charge} />}
            <div className="screen-only">
              <ChargeTimeline charge={charge} />
              <ChargeNextSteps charge={charge} />
            </div>
          </>
        }
      >
        {charge.paidLate && <Notice kind="info">{chargeWords.paidLate}</Notice>}
        <Card title={chargeWords.details}>
          <Facts facts={factsOf(charge)} />
        </Card>
        {metadata.length > 0 && (
          <Card title={chargeWords.metadata}>
            <Facts facts={metadata} />
          </Card>
        )}
        <div className="screen-only">
          <ChargeForDevelopers charge={charge} />
        </div>
      </Page>
    </>
  )
}

function factsOf(charge: Charge) {
  const { customer, product, coupon, subscription, paymentLink } = charge
  const discounted = charge.discountAmount > 0
  return [
    { term: chargeWords.amount, value: <Money value={charge.amount} /> },
    { term: chargeWords.original, value: discounted && <Money value={charge.originalAmount} /> },
    { term: chargeWords.discount, value: discounted && <Money value={charge.discountAmount} /> },
    { term: chargeWords.fee, value: charge.feeAmount > 0 && <Money value={charge.feeAmount} /> },
    { term: chargeWords.net, value: charge.feeAmount > 0 && <Money value={charge.netAmount} /> },
    { term: chargeWords.refunded, value: charge.refundedAmount > 0 && <Money value={charge.refundedAmount} /> },
    { term: chargeWords.description, value: charge.description },
    {
      term: chargeWords.product,
      value: product && (
        <Link to="/produtos/$id" params={{ id: product.id }}>
          {product.name}
        </Link>
      ),
    },
    {
      term: chargeWords.coupon,
      value: coupon ? (
        <Link to="/cupons/$id" params={{ id: coupon.id }}>
          {charge.couponCode}
        </Link>
      ) : (
        charge.couponCode
      ),
    },
    {
      term: chargeWords.customer,
      value: customer && (
        <Link to="/clientes/$id" params={{ id: customer.id }}>
          {customer.name}
        </Link>
      ),
    },
    { term: chargeWords.email, value: charge.customerEmail },
    { term: chargeWords.document, value: charge.customerCpf && formatDocument(charge.customerCpf) },
    { term: chargeWords.phone, value: charge.customerPhone && formatPhone(charge.customerPhone) },
    {
      term: chargeWords.subscription,
      value: subscription && (
        <Link to="/assinaturas/$id" params={{ id: subscription.id }}>
          {subscription.description ?? subscription.id}
        </Link>
      ),
    },
    {
      term: chargeWords.link,
      value: paymentLink && (
        <Link to="/links/$id" params={{ id: paymentLink.id }}>
          {paymentLink.title ?? paymentLink.id}
        </Link>
      ),
    },
    { term: chargeWords.reference, value: charge.externalReference ?? charge.linkReference },
    { term: chargeWords.created, value: <Time value={charge.createdAt} /> },
    { term: chargeWords.paidAt, value: charge.paidAt && <Time value={charge.paidAt} /> },
    { term: chargeWords.expires, value: charge.status === 'pending' && <Time value={charge.expiresAt} /> },
    { term: 'EndToEndId', value: charge.endToEndId },
    { term: 'txid', value: charge.txid },
  ]
}
