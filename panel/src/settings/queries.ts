import { queryOptions, useQueryClient } from '@tanstack/react-query'
import type { ProductionQuery, ProfileQuery, ReceivingAccountQuery, UpdateProfileInput } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'

const REVIEW_MILLISECONDS = 15_000

const PROFILE = graphql(`
  query Profile {
    me {
      user {
        id name email company cnpj cpf phone address addressNumber complement province postalCode companyType timeZone
        notifyPaymentEmail receiptEmail onboardingCompletedAt
      }
    }
  }
`)

export type Profile = NonNullable<ProfileQuery['me']>['user']

/** The caller's own account and store. */
export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: async ({ signal }) => present((await request(PROFILE, {}, { signal })).me).user,
})

const UPDATE_PROFILE = graphql(`
  mutation UpdateProfile($input: UpdateProfileInput!) { updateProfile(input: $input) { user { id } } }
`)

/** A function that changes fields of the profile, and reads again what depends on them. */
export function useUpdateProfile(): (input: UpdateProfileInput) => Promise<void> {
  const cache = useQueryClient()
  return async (input) => {
    await request(UPDATE_PROFILE, { input })
    // First the viewer: every page reads its days in the store's zone.
    await cache.invalidateQueries({ queryKey: ['viewer'] })
    await cache.invalidateQueries()
  }
}

const PRODUCTION = graphql(`
  query Production {
    production { liberada status solicitadaEm revisadaEm motivoRecusa pendencias termosUrl }
    productionDocuments { id type fileName size uploadedAt }
  }
`)

export type Production = NonNullable<ProductionQuery['production']>
export type SentDocument = NonNullable<ProductionQuery['productionDocuments']>[number]

/** The review of the own store, read again while it is under way. */
export const productionQuery = queryOptions({
  queryKey: ['production'],
  queryFn: async ({ signal }) => {
    const { production, productionDocuments } = await request(PRODUCTION, {}, { signal })
    return { production: present(production), documents: present(productionDocuments) }
  },
  refetchInterval: ({ state }) => (state.data?.production.status === 'pending' ? REVIEW_MILLISECONDS : false),
})

const RECEIVING = graphql(`
  query ReceivingAccount {
    receivingAccount {
      modo criada accountId status environment companyName cnpj
      aprovacao {
        aprovada conferida geral dadosComerciais contaBancaria documentos conferidaEm linkDocumentos linkDocumentosQr
        motivosRecusa
      }
    }
  }
`)

export type ReceivingAccount = NonNullable<ReceivingAccountQuery['receivingAccount']>

export const receivingQuery = queryOptions({
  queryKey: ['receivingAccount'],
  queryFn: async ({ signal }) => present((await request(RECEIVING, {}, { signal })).receivingAccount),
})

const TWO_FACTOR = graphql(`
  query TwoFactor { twoFactor { enabled enabledAt recoveryCodesLeft required } }
`)

export const twoFactorQuery = queryOptions({
  queryKey: ['twoFactor'],
  queryFn: async ({ signal }) => present((await request(TWO_FACTOR, {}, { signal })).twoFactor),
})

const SESSIONS = graphql(`
  query OpenSessions { sessions { id current ip userAgent begunAt lastUsedAt } }
`)

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => present((await request(SESSIONS, {}, { signal })).sessions),
})
