import { useQueries, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { request } from '../api/request'
import { ChargesOf } from '../charges/ChargesOf'
import { useCan } from '../frame/queries'
import { LinksOf } from '../links/LinksOf'
import { productQuery } from '../products/queries'
import { Card } from '../ui/Card'
import { StopEditingButton } from '../ui/EditButtons'
import { Facts } from '../ui/Facts'
import { Heading } from '../ui/Heading'
import { Money } from '../ui/Money'
import { Page } from '../ui/Page'
import { paidFacts } from '../ui/paidFacts'
import { Time } from '../ui/Time'
import { useEditing } from '../ui/useEditing'
import { formatUses } from '../ui/uses'
import { changedFields } from '../ui/values'
import { words } from '../words/pt-BR'
import { CouponActions } from './CouponActions'
import { CouponForm, type CouponInput } from './CouponForm'
import { CouponStatus } from './CouponStatus'
import { CouponTest } from './CouponTest'
import { type Coupon, couponQuery, refreshCoupons, UPDATE_COUPON } from './queries'
import { formatDiscount } from './state'
import { couponWords } from './words'

export function CouponPage() {
  const { id } = useParams({ from: '/frame/cupons/$id' })
  const { data: coupon } = useSuspenseQuery(couponQuery(id))
  const can = useCan()
  const [editing, stop] = useEditing(can('updateCoupon'))
  const cache = useQueryClient()

  async function save(input: CouponInput) {
    await request(UPDATE_COUPON, { input: { id, ...changedFields(input, coupon) } })
    await refreshCoupons(cache)
    await stop()
  }

  return (
    <Page
      back={
        <Link to="/cupons" search={{}}>
          {couponWords.title}
        </Link>
      }
      heading={<Heading key={String(editing)} title={coupon.code} />}
      status={<CouponStatus coupon={coupon} />}
      actions={!editing && <CouponActions coupon={coupon} />}
      aside={!editing && can('validateCoupon') && <CouponTest coupon={coupon} />}
    >
      {editing ? (
        <CouponForm coupon={coupon} submit={words.save} cancel={<StopEditingButton />} onSubmit={save} />
      ) : (
        <>
          <Card title={couponWords.details}>
            <Facts facts={factsOf(coupon)} />
          </Card>
          <LinksOf parent="couponId" id={id} />
          <ChargesOf parent="couponId" id={id} />
        </>
      )}
    </Page>
  )
}

const factsOf = (coupon: Coupon) => [
  { term: couponWords.discount, value: formatDiscount(coupon.discountType, coupon.discountValue) },
  { term: couponWords.uses, value: formatUses(coupon.usesCount, coupon.maxUses) },
  { term: couponWords.discounted, value: <Money value={coupon.discountedAmount} /> },
  ...paidFacts(coupon),
  { term: couponWords.maxUsesPerCustomer, value: coupon.maxUsesPerCustomer },
  { term: couponWords.minAmount, value: coupon.minAmount && <Money value={coupon.minAmount} /> },
  {
    term: couponWords.productList,
    value: coupon.productIds.length > 0 ? <ProductNames ids={coupon.productIds} /> : couponWords.allProducts,
  },
  { term: couponWords.startsAt, value: coupon.startsAt && <Time value={coupon.startsAt} /> },
  { term: couponWords.expiresAt, value: coupon.expiresAt && <Time value={coupon.expiresAt} /> },
  { term: couponWords.description, value: coupon.description },
  { term: couponWords.created, value: <Time value={coupon.createdAt} /> },
  { term: couponWords.updated, value: <Time value={coupon.updatedAt} /> },
]

function ProductNames({ ids }: { ids: readonly string[] }) {
  const products = useQueries({ queries: ids.map((id) => productQuery(id)) })
  return ids.map((id, at) => (
    <div key={id}>
      <Link to="/produtos/$id" params={{ id }}>
        {products[at]?.data?.name ?? id}
      </Link>
    </div>
  ))
}
