import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Card } from '../ui/Card'
import { Facts } from '../ui/Facts'
import { Heading } from '../ui/Heading'
import { Page } from '../ui/Page'
import { Time } from '../ui/Time'
import { environments } from '../words/pt-BR'
import { KeyActions } from './KeyActions'
import { KeyStatus } from './KeyStatus'
import { type ApiKey, keyQuery } from './queries'
import { keyWords, scopes } from './words'

export function KeyPage() {
  const { id } = useParams({ from: '/frame/developers/dev/chaves/$id' })
  const { data: key } = useSuspenseQuery(keyQuery(id))
  return (
    <Page
      back={
        <Link to="/dev/chaves" search={{}}>
          {keyWords.title}
        </Link>
      }
      heading={<Heading title={key.name} />}
      status={<KeyStatus {...key} />}
      actions={<KeyActions apiKey={key} />}
    >
      <Card title={keyWords.details}>
        <Facts facts={factsOf(key)} />
      </Card>
    </Page>
  )
}

function factsOf(key: ApiKey) {
  return [
    { term: keyWords.prefix, value: <code>{key.prefix}…</code> },
    { term: keyWords.environment, value: environments[key.environment] },
    {
      term: keyWords.access,
      value: key.scopes ? key.scopes.map((scope) => <div key={scope}>{scopes[scope]}</div>) : keyWords.fullAccess,
    },
    { term: keyWords.lastUsed, value: key.lastUsedAt ? <Time value={key.lastUsedAt} /> : keyWords.neverUsed },
    { term: keyWords.expires, value: key.expiresAt ? <Time value={key.expiresAt} /> : keyWords.never },
    { term: keyWords.created, value: <Time value={key.createdAt} /> },
  ]
}
