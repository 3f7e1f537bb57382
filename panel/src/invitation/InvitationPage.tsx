import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { chooseStore } from '../session/session'
import { Form } from '../ui/Form'
import { Heading } from '../ui/Heading'
import { TextField } from '../ui/TextField'
import { readInvitationCode } from './code'
import { invitationWords } from './words'

const ACCEPT = graphql(`
  mutation AcceptInvitation($token: String!) { acceptInvitation(token: $token) { storeId } }
`)

/** Joins a store with the code of an e-mail, and opens that store. */
export function InvitationPage() {
  const navigate = useNavigate()
  const cache = useQueryClient()

  async function accept({ token = '' }: Record<string, string>) {
    const { acceptInvitation } = await request(ACCEPT, { token: token.trim() })
    chooseStore(present(acceptInvitation).storeId)
    await cache.resetQueries()
    await navigate({ to: '/' })
  }

  return (
    <>
      <Heading title={invitationWords.title} />
      <p>{invitationWords.lead}</p>
      <Form submit={invitationWords.accept} onSubmit={accept}>
        <TextField
          name="token"
          label={invitationWords.code}
          defaultValue={readInvitationCode() ?? ''}
          autoComplete="off"
          spellCheck={false}
          required
        />
      </Form>
    </>
  )
}
