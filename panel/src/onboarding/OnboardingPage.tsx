import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import type { OnboardingInput } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { profileQuery, useUpdateProfile } from '../settings/queries'
import { ActionButton } from '../ui/ActionButton'
import { Form } from '../ui/Form'
import { Heading } from '../ui/Heading'
import { TextField } from '../ui/TextField'
import { onboardingWords } from './words'

const COMPLETE = graphql(`
  mutation CompleteOnboarding($input: OnboardingInput!) { completeOnboarding(input: $input) { user { id } } }
`)

/** One question after the registration. What else a store needs is requested when it is needed. */
export function OnboardingPage() {
  const { data: profile } = useSuspenseQuery(profileQuery)
  const cache = useQueryClient()
  const updateProfile = useUpdateProfile()
  if (profile.onboardingCompletedAt) return <Navigate to="/" replace />

  async function complete(answers: OnboardingInput) {
    await request(COMPLETE, { input: answers })
    await cache.invalidateQueries()
  }

  async function save({ company = '' }: Record<string, string>) {
    // The answer fills an empty profile only, and here the name of the registration may be corrected.
    if (company !== profile.company) await updateProfile({ company })
    await complete({ storeName: company })
  }

  return (
    <>
      <Heading title={onboardingWords.title} />
      <p>{onboardingWords.lead}</p>
      <Form
        submit={onboardingWords.go}
        cancel={<ActionButton label={onboardingWords.skip} onAct={() => complete({})} />}
        onSubmit={save}
      >
        <TextField
          name="company"
          label={onboardingWords.name}
          defaultValue={profile.company ?? ''}
          autoComplete="organization"
          required
        />
      </Form>
    </>
  )
}
