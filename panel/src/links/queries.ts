import { queryOptions } from '@tanstack/react-query'
import type { PaymentLinkQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'

const LINK = graphql(`
  query PaymentLink($id: ID!) {
    paymentLink(id: $id) {
      id url title description amount productId couponId allowCoupons active expiresAt maxUses unpayableReason usesCount
      successUrl cancelUrl chargeExpiresInMinutes externalReference createdAt updatedAt paidCount
      paidAmount lastPaidAt qrCodeUrl
      product { id name price description }
      coupon { id code }
    }
  }
`)

export type PaymentLink = NonNullable<PaymentLinkQuery['paymentLink']>

export const linkQuery = (id: string) =>
  queryOptions({
    queryKey: ['links', 'one', id],
    queryFn: async ({ signal }) => present((await request(LINK, { id }, { signal })).paymentLink),
  })

export const UPDATE_LINK = graphql(`
  mutation UpdatePaymentLink($input: UpdatePaymentLinkInput!) { updatePaymentLink(input: $input) { id } }
`)

/** The name of a link, which has one of its own, that of its product, or none. */
export const nameOf = (link: { title?: string | null; product?: { name: string } | null }): string | null =>
  link.title ?? link.product?.name ?? null
