import { useQueryClient } from '@tanstack/react-query'
import type { Environment } from '../api/gql/graphql'
import { chooseEnvironment } from '../session/chooseEnvironment'
import { openSession } from '../session/session'

/** A function that goes on in another environment. */
export function useChooseEnvironment(): (environment: Environment) => Promise<void> {
  const cache = useQueryClient()
  return async (environment) => {
    openSession(await chooseEnvironment(environment))
    void cache.resetQueries()
  }
}
