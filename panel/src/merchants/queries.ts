import { queryOptions } from '@tanstack/react-query'
import type { MerchantQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'

const MERCHANT = graphql(`
  query Merchant($id: ID!) {
    merchant(id: $id) {
      id name email company cnpj cpf phone address addressNumber complement province postalCode companyType
      productionStatus productionRequestedAt productionReviewedAt productionRejectReason productionTermsAcceptedAt
      createdAt
      documents { id type fileName contentType size sha256 uploadedAt }
      history { id toStatus reason submitted actorName createdAt }
    }
  }
`)

export type Merchant = NonNullable<MerchantQuery['merchant']>
export type MerchantDocument = Merchant['documents'][number]

export const merchantQuery = (id: string) =>
  queryOptions({
    queryKey: ['merchants', 'one', id],
    queryFn: async ({ signal }) => present((await request(MERCHANT, { id }, { signal })).merchant),
  })

const QUEUE = graphql(`
  query ReviewQueue {
    merchants(first: 2, filter: { status: pending }) { edges { node { id name company } } }
  }
`)

/** The two that wait longest: one of them isn't the merchant that is looked at. */
export const queueQuery = queryOptions({
  queryKey: ['merchants', 'queue'],
  queryFn: async ({ signal }) =>
    present((await request(QUEUE, {}, { signal })).merchants).edges.map((edge) => edge.node),
})
