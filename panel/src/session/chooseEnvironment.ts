import { useQueryClient } from '@tanstack/react-query'
import type { Environment } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useLeaveRecord } from '../frame/useLeaveRecord'
import { type NewSession, openSession } from './session'

const CHOOSE = graphql(`
  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
    chooseEnvironment(input: $input) { accessToken environment user { id } }
  }
`)

/**
 * The panel's session in another environment, or that of `token`. The gateway refuses live to a store that isn't
 * approved.
 */
export async function chooseEnvironment(environment: Environment, token?: string): Promise<NewSession> {
  const options = token === undefined ? {} : { token, keepLocked: true }
  return present((await request(CHOOSE, { input: { environment } }, options)).chooseEnvironment)
}

/** A function that goes on in another environment. */
export function useChooseEnvironment(): (environment: Environment) => Promise<void> {
  const cache = useQueryClient()
  const leaveRecord = useLeaveRecord()
  return async (environment) => {
    const session = await chooseEnvironment(environment)
    await leaveRecord()
    openSession(session)
    void cache.resetQueries()
  }
}
