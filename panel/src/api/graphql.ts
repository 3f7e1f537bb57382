import type { graphql as generated } from './gql'

/**
 * The document itself, with the types that codegen made of it. Its own function would put every document of the panel
 * into the first chunk, in a map from texts to texts. So documents have no fragments.
 */
export const graphql = ((source: string) => source) as unknown as typeof generated
