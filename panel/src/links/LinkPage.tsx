import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { request } from '../api/request'
import { ChargesOf } from '../charges/ChargesOf'
import { useCan } from '../frame/queries'
import { Card } from '../ui/Card'
import { StopEditingButton } from '../ui/EditButtons'
import { Facts } from '../ui/Facts'
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
import { LinkActions } from './LinkActions'
import { LinkForm, type LinkInput } from './LinkForm'
import { LinkPoster } from './LinkPoster'
import css from './LinkPoster.module.css'
import { LinkShare } from './LinkShare'
import { LinkStatus } from './LinkStatus'
import { linkQuery, nameOf, type PaymentLink, UPDATE_LINK } from './queries'
import { chargeMinutes, linkWords, unpayableReasons } from './words'

export function LinkPage() {
  const { id } = useParams({ from: '/frame/links/$id' })
  const { data: link } = useSuspenseQuery(linkQuery(id))
  const can = useCan()
  const [editing, stop] = useEditing(can('updatePaymentLink'))
  const cache = useQueryClient()

  async function save(input: LinkInput) {
    await request(UPDATE_LINK, { input: { id, ...changedFields(input, link) } })
    await cache.invalidateQueries({ queryKey: ['links'] })
    await stop()
  }

  return (
    <>
      <div className={css.screen}>
        <Page
          back={
            <Link to="/links" search={{}}>
              {linkWords.title}
            </Link>
          }
          heading={<Heading key={String(editing)} title={nameOf(link) ?? linkWords.noName} />}
          status={<LinkStatus link={link} />}
          notice={link.unpayableReason && <Notice kind="error">{unpayableReasons[link.unpayableReason]}</Notice>}
          actions={!editing && <LinkActions link={link} />}
          aside={!editing && <LinkShare link={link} />}
        >
          {editing ? (
            <LinkForm link={link} submit={words.save} cancel={<StopEditingButton />} onSubmit={save} />
          ) : (
            <>
              <Card title={linkWords.details}>
                <Facts facts={factsOf(link)} />
              </Card>
              <ChargesOf parent="paymentLinkId" id={id} />
            </>
          )}
        </Page>
      </div>
      <LinkPoster link={link} />
    </>
  )
}

function factsOf(link: PaymentLink) {
  const { product, coupon, chargeExpiresInMinutes: minutes } = link
  return [
    { term: linkWords.amount, value: <Money value={product?.price ?? link.amount} /> },
    { term: linkWords.uses, value: formatUses(link.usesCount, link.maxUses) },
    ...paidFacts(link),
    { term: linkWords.address, value: link.url },
    { term: linkWords.description, value: link.description },
    {
      term: linkWords.product,
      value: product && (
        <Link to="/produtos/$id" params={{ id: product.id }}>
          {product.name}
        </Link>
      ),
    },
    {
      term: linkWords.coupon,
      value: coupon && (
        <Link to="/cupons/$id" params={{ id: coupon.id }}>
          {coupon.code}
        </Link>
      ),
    },
    { term: linkWords.couponsAllowed, value: link.allowCoupons ? linkWords.yes : linkWords.no },
    { term: linkWords.expiresAt, value: link.expiresAt && <Time value={link.expiresAt} /> },
    { term: linkWords.minutes, value: chargeMinutes[minutes] ?? linkWords.minutesOf(minutes) },
    { term: linkWords.successUrl, value: link.successUrl },
    { term: linkWords.cancelUrl, value: link.cancelUrl },
    { term: linkWords.reference, value: link.externalReference },
    { term: linkWords.created, value: <Time value={link.createdAt} /> },
    { term: linkWords.updated, value: <Time value={link.updatedAt} /> },
  ]
}
