import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Environment, Scope } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { Denied } from '../frame/Denied'
import { useCan } from '../frame/queries'
import { useSession } from '../session/useSession'
import { CheckGroupField } from '../ui/CheckGroupField'
import { Code } from '../ui/Code'
import { Form } from '../ui/Form'
import { Heading } from '../ui/Heading'
import { optionsOf } from '../ui/options'
import { Page } from '../ui/Page'
import { SecretOnce } from '../ui/SecretOnce'
import { SelectField } from '../ui/SelectField'
import { TextField } from '../ui/TextField'
import { dayEnd } from '../ui/values'
import { environments } from '../words/pt-BR'
import { keyWords, scopes } from './words'

const CREATE = graphql(`
  mutation CreateApiKey($input: CreateApiKeyInput!) { createApiKey(input: $input) { id key } }
`)

/** The form, and then the key, which only this answer shows. */
export function NewKeyPage() {
  const can = useCan()
  const [created, setCreated] = useState<{ id: string; key: string } | null>(null)
  const navigate = useNavigate()
  if (!can('createApiKey')) return <Denied title={keyWords.newKey} />
  return (
    <Page
      back={
        <Link to="/dev/chaves" search={{}}>
          {keyWords.title}
        </Link>
      }
      heading={<Heading title={created ? keyWords.keepTitle : keyWords.newKey} />}
    >
      {created ? (
        <SecretOnce
          lead={keyWords.keepLead}
          onStored={() => void navigate({ to: '/dev/chaves/$id', params: { id: created.id } })}
        >
          <Code text={created.key} />
        </SecretOnce>
      ) : (
        <NewKeyForm onCreate={setCreated} />
      )}
    </Page>
  )
}

function NewKeyForm({ onCreate }: { onCreate: (created: { id: string; key: string }) => void }) {
  const environment = useSession()?.environment ?? 'test'
  const cache = useQueryClient()
  const keyOf = useIdempotencyKey()
  const [limited, setLimited] = useState(false)

  async function create(values: Record<string, string>) {
    const input = {
      name: values.name ?? '',
      environment: values.environment as Environment,
      expiresAt: dayEnd(values.expiresAt),
      scopes: limited ? ((values.scopes?.split(',') ?? []) as Scope[]) : null,
    }
    const { createApiKey } = await request(CREATE, { input }, { idempotencyKey: keyOf(input) })
    void cache.invalidateQueries({ queryKey: ['api keys'] })
    onCreate(present(createApiKey))
  }

  return (
    <Form submit={keyWords.create} onSubmit={create}>
      <TextField name="name" label={keyWords.name} hint={keyWords.nameHint} autoComplete="off" autoFocus required />
      <SelectField
        name="environment"
        label={keyWords.environment}
        hint={keyWords.environmentHint}
        options={optionsOf(environments)}
        defaultValue={environment}
      />
      <SelectField
        name="access"
        label={keyWords.access}
        hint={keyWords.accessHint}
        options={[
          { value: 'full', label: keyWords.fullAccess },
          { value: 'some', label: keyWords.someAccess },
        ]}
        onChoose={(value) => setLimited(value === 'some')}
      />
      {limited && <CheckGroupField name="scopes" label={keyWords.scopes} options={optionsOf(scopes)} />}
      <TextField name="expiresAt" type="date" label={keyWords.expiresAt} hint={keyWords.expiresHint} />
    </Form>
  )
}
