import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import type { OpenSessionsQuery } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { openSession } from '../session/session'
import { Card } from '../ui/Card'
import { ConfirmButton } from '../ui/ConfirmButton'
import { Status } from '../ui/Status'
import { type Column, Table } from '../ui/Table'
import { Time } from '../ui/Time'
import { deviceOf } from './deviceOf'
import { sessionsQuery } from './queries'
import { securityWords } from './words'

const END = graphql(`
  mutation EndOneSession($id: ID!) { endSession(id: $id) { id } }
`)
const END_OTHERS = graphql(`
  mutation EndOtherSessions { endOtherSessions { accessToken environment user { id } } }
`)

type Row = NonNullable<OpenSessionsQuery['sessions']>[number]

export function SessionsCard() {
  const { data: sessions } = useSuspenseQuery(sessionsQuery)
  const cache = useQueryClient()
  const refresh = () => cache.invalidateQueries({ queryKey: sessionsQuery.queryKey })

  async function endOthers() {
    openSession(present((await request(END_OTHERS, {})).endOtherSessions))
    await refresh()
  }

  const columns: readonly Column<Row>[] = [
    { label: securityWords.device, cell: (row) => deviceOf(row.userAgent) ?? securityWords.unknownDevice },
    { label: securityWords.used, cell: (row) => <Time value={row.lastUsedAt} /> },
    { label: securityWords.from, cell: (row) => row.ip ?? securityWords.unknownAddress },
    {
      label: securityWords.end,
      cell: (row) =>
        row.current ? (
          <Status tone="good">{securityWords.current}</Status>
        ) : (
          <ConfirmButton
            label={securityWords.end}
            title={securityWords.endTitle}
            lead={securityWords.endLead}
            confirm={securityWords.endConfirm}
            onConfirm={() => request(END, { id: row.id }).then(refresh)}
          />
        ),
    },
  ]

  return (
    <Card title={securityWords.sessions}>
      <p>{securityWords.sessionsLead}</p>
      <Table caption={securityWords.sessions} columns={columns} rows={sessions} />
      {sessions.length > 1 && (
        <div>
          <ConfirmButton
            label={securityWords.endOthers}
            title={securityWords.endOthersTitle}
            lead={securityWords.endOthersLead}
            confirm={securityWords.endOthersConfirm}
            onConfirm={endOthers}
          />
        </div>
      )}
    </Card>
  )
}
