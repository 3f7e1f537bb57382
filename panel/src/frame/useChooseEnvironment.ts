import { useQueryClient } from '@tanstack/react-query'
import type { Environment } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { openSession } from '../session/session'

const CHOOSE = graphql(`
  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
    chooseEnvironment(input: $input) { accessToken environment user { id } }
  }
`)

/** A function that goes on in another environment. The gateway refuses live to a store that isn't approved. */
export function useChooseEnvironment(): (environment: Environment) => Promise<void> {
  const cache = useQueryClient()
  return async (environment) => {
    const { chooseEnvironment } = await request(CHOOSE, { input: { environment } })
    openSession(present(chooseEnvironment))
    void cache.resetQueries()
  }
}
