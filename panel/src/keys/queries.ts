import { queryOptions } from '@tanstack/react-query'
import type { ApiKeyQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'

const KEY = graphql(`
  query ApiKey($id: ID!) {
    apiKey(id: $id) { id name prefix environment active scopes expiresAt lastUsedAt createdAt }
  }
`)

export type ApiKey = NonNullable<ApiKeyQuery['apiKey']>

export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: ['api keys', id],
    queryFn: async ({ signal }) => present((await request(KEY, { id }, { signal })).apiKey),
  })
