import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { Denied } from '../frame/Denied'
import { useCan } from '../frame/queries'
import { Heading } from '../ui/Heading'
import { Page } from '../ui/Page'
import { useNavigateFromHere } from '../ui/useNavigateFromHere'
import { CouponForm, type CouponInput } from './CouponForm'
import { couponWords } from './words'

const CREATE = graphql(`
  mutation CreateCoupon($input: CreateCouponInput!) { createCoupon(input: $input) { id } }
`)

export function NewCouponPage() {
  const can = useCan()
  const navigate = useNavigateFromHere()
  const cache = useQueryClient()
  const keyOf = useIdempotencyKey()

  async function create(input: CouponInput) {
    const { createCoupon } = await request(CREATE, { input }, { idempotencyKey: keyOf(input) })
    await cache.invalidateQueries({ queryKey: ['coupons'] })
    await navigate({ to: '/cupons/$id', params: { id: present(createCoupon).id } })
  }

  if (!can('createCoupon')) return <Denied title={couponWords.newCoupon} />
  return (
    <Page
      back={
        <Link to="/cupons" search={{}}>
          {couponWords.title}
        </Link>
      }
      heading={<Heading title={couponWords.newCoupon} />}
    >
      <CouponForm submit={couponWords.create} onSubmit={create} />
    </Page>
  )
}
