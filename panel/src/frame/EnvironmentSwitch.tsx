import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/ask'
import { graphql } from '../api/gql'
import type { Environment } from '../api/gql/graphql'
import { present } from '../api/present'
import { openSession } from '../session/session'
import { useSession } from '../session/useSession'
import { Choice } from '../ui/Choice'
import { messageOf } from '../ui/messageOf'
import { Notice } from '../ui/Notice'
import { environments, words } from '../words/pt-BR'

const CHOOSE = graphql(`
  mutation ChooseEnvironment($input: ChooseEnvironmentInput!) {
    chooseEnvironment(input: $input) { accessToken environment user { id } }
  }
`)
const OPTIONS = (['test', 'live'] as const).map((value) => ({ value, label: environments[value] }))

/** Test or live. The gateway refuses live to a store that isn't approved, and says why. */
export function EnvironmentSwitch() {
  const session = useSession()
  const cache = useQueryClient()
  const choose = useMutation({
    mutationFn: (environment: Environment) => ask(CHOOSE, { input: { environment } }),
    onSuccess: ({ chooseEnvironment }) => {
      openSession(present(chooseEnvironment))
      void cache.resetQueries()
    },
  })
  if (!session) return null
  return (
    <>
      <Choice
        label={words.frame.environment}
        value={session.environment}
        options={OPTIONS}
        onChange={(environment) => environment !== session.environment && choose.mutate(environment)}
      />
      {choose.error && <Notice kind="error">{messageOf(choose.error)}</Notice>}
    </>
  )
}
