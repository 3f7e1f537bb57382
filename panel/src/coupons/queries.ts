import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { CouponQuery, CouponStatus, ValidateCouponQueryVariables } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import type { Pick, PickSource } from '../ui/PickField'

const COUPON = graphql(`
  query Coupon($id: ID!) {
    coupon(id: $id) {
      id code description discountType discountValue maxUses maxUsesPerCustomer usesCount minAmount productIds startsAt
      expiresAt isActive createdAt updatedAt paidCount paidAmount lastPaidAt discountedAmount
    }
  }
`)

export type Coupon = NonNullable<CouponQuery['coupon']>

export const couponQuery = (id: string) =>
  queryOptions({
    queryKey: ['coupons', 'one', id],
    queryFn: async ({ signal }) => present((await request(COUPON, { id }, { signal })).coupon),
  })

/** Reads again what a coupon changes: the coupons, and the links that apply them. */
export const refreshCoupons = (cache: QueryClient) =>
  Promise.all([cache.invalidateQueries({ queryKey: ['coupons'] }), cache.invalidateQueries({ queryKey: ['links'] })])

export const UPDATE_COUPON = graphql(`
  mutation UpdateCoupon($input: UpdateCouponInput!) { updateCoupon(input: $input) { id } }
`)

const VALIDATE = graphql(`
  query ValidateCoupon($code: String!, $amount: Reais, $productId: ID) {
    validateCoupon(code: $code, amount: $amount, productId: $productId) {
      code originalAmount discountAmount finalAmount
    }
  }
`)

/** What a coupon makes of an amount, without a use of it. */
export const couponQuoteQuery = (variables: ValidateCouponQueryVariables) =>
  queryOptions({
    queryKey: ['coupons', 'quote', variables],
    queryFn: async ({ signal }) => present((await request(VALIDATE, variables, { signal })).validateCoupon),
  })

const FIND = graphql(`
  query FindCoupons($q: String, $status: CouponStatus) {
    coupons(first: 20, filter: { q: $q, status: $status }, order: code_asc) { edges { node { id code description } } }
  }
`)

export type CouponPick = Pick

export const couponPick = ({ id, code, description }: CouponToPick): CouponPick => ({
  value: id,
  label: code,
  detail: description ?? undefined,
})

type CouponToPick = { id: string; code: string; description?: string | null }

/** The coupons worth something now that have these words. */
export const findCoupons = (q: string, signal: AbortSignal): Promise<CouponPick[]> => find(q, 'active', signal)

/** All coupons, for a filter. */
export const couponSource: PickSource = {
  of: 'all coupons',
  find: (q, signal) => find(q, null, signal),
  read: async (id, signal) => couponPick(present((await request(COUPON, { id }, { signal })).coupon)),
}

async function find(q: string, status: CouponStatus | null, signal: AbortSignal): Promise<CouponPick[]> {
  const { coupons } = await request(FIND, { q: q || null, status }, { signal })
  return present(coupons).edges.map((edge) => couponPick(edge.node))
}
