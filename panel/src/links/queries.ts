import { queryOptions } from '@tanstack/react-query'
import type { PaymentLinkQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { formatMoney } from '../ui/format'
import type { Pick, PickSource } from '../ui/PickField'
import { linkWords } from './words'

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

const FIND = graphql(`
  query FindPaymentLinks($q: String) {
    paymentLinks(first: 20, filter: { q: $q }) { edges { node { id title amount product { name price } } } }
  }
`)

type LinkToPick = {
  id: string
  title?: string | null
  amount: number
  product?: { name: string; price: number } | null
}

const linkPick = (link: LinkToPick): Pick => ({
  value: link.id,
  label: nameOf(link) ?? linkWords.noName,
  detail: formatMoney(link.product?.price ?? link.amount),
})

export const linkSource: PickSource = {
  of: 'links',
  find: async (q, signal) => {
    const { paymentLinks } = await request(FIND, { q: q || null }, { signal })
    return present(paymentLinks).edges.map((edge) => linkPick(edge.node))
  },
  read: async (id, signal) => linkPick(present((await request(LINK, { id }, { signal })).paymentLink)),
}
