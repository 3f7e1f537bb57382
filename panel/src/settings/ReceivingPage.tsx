import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import type { ReceivingStatus, Track } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { ActionButton } from '../ui/ActionButton'
import { Card } from '../ui/Card'
import { Facts } from '../ui/Facts'
import { formatDocument } from '../ui/format'
import { Notice } from '../ui/Notice'
import { Status, type Tone } from '../ui/Status'
import { Time } from '../ui/Time'
import { OpenReceivingForm } from './OpenReceivingForm'
import { type ReceivingAccount, receivingQuery } from './queries'
import { ReceivingDocuments } from './ReceivingDocuments'
import { SettingsLayout } from './SettingsLayout'
import { SimulateReviewForm } from './SimulateReviewForm'
import { receivingStatuses, receivingWords, tracks } from './words'

const CHECK = graphql(`
  mutation CheckReceivingAccount { checkReceivingAccount { status } }
`)

const TONES: Record<ReceivingStatus, Tone> = {
  absent: 'quiet',
  opening: 'waiting',
  lost: 'bad',
  pending: 'waiting',
  awaiting_approval: 'waiting',
  approved: 'good',
  rejected: 'bad',
}
const TRACK_TONES: Record<Track, Tone> = {
  PENDING: 'waiting',
  AWAITING_APPROVAL: 'waiting',
  APPROVED: 'good',
  REJECTED: 'bad',
}

export function ReceivingPage() {
  const { data: account } = useSuspenseQuery(receivingQuery)
  return (
    <SettingsLayout
      title={receivingWords.title}
      status={
        <div>
          <Status tone={TONES[account.status]}>{receivingStatuses[account.status]}</Status>
        </div>
      }
    >
      {account.modo === 'conta_unica' && <Notice kind="info">{receivingWords.shared}</Notice>}
      {account.modo === 'subconta' && account.status === 'absent' && <Absent />}
      {account.modo === 'subconta' && account.status !== 'absent' && <Account account={account} />}
    </SettingsLayout>
  )
}

function Absent() {
  const can = useCan()
  if (!can('openReceivingAccount')) return <Notice kind="info">{receivingWords.ownerOnly}</Notice>
  return (
    <Card title={receivingWords.openTitle}>
      <p>{receivingWords.openLead}</p>
      <OpenReceivingForm />
    </Card>
  )
}

function Account({ account }: { account: ReceivingAccount }) {
  const can = useCan()
  const cache = useQueryClient()
  const { aprovacao, status } = account
  const refresh = () => cache.invalidateQueries({ queryKey: receivingQuery.queryKey })
  return (
    <>
      {status === 'opening' && <Notice kind="info">{receivingWords.opening}</Notice>}
      {status === 'lost' && <Notice kind="error">{receivingWords.lost}</Notice>}
      {status === 'approved' && <Notice kind="info">{receivingWords.ready}</Notice>}
      {aprovacao.motivosRecusa && (
        <Notice kind="error">
          {receivingWords.reasons} {aprovacao.motivosRecusa}
        </Notice>
      )}
      <ReceivingDocuments account={account} />
      <Card title={receivingWords.approval}>
        <Facts
          facts={[
            { term: receivingWords.general, value: <TrackStatus track={aprovacao.geral} /> },
            { term: receivingWords.commercial, value: <TrackStatus track={aprovacao.dadosComerciais} /> },
            { term: receivingWords.bank, value: <TrackStatus track={aprovacao.contaBancaria} /> },
            { term: receivingWords.documents, value: <TrackStatus track={aprovacao.documentos} /> },
            {
              term: receivingWords.checkedAt,
              value: aprovacao.conferidaEm ? <Time value={aprovacao.conferidaEm} /> : receivingWords.never,
            },
          ]}
        />
        {can('checkReceivingAccount') && (
          <div>
            <ActionButton label={receivingWords.check} onAct={() => request(CHECK, {}).then(refresh)} />
          </div>
        )}
      </Card>
      <Card title={receivingWords.details}>
        <Facts
          facts={[
            { term: receivingWords.companyName, value: account.companyName },
            { term: 'CNPJ', value: account.cnpj && formatDocument(account.cnpj) },
            { term: receivingWords.accountId, value: account.accountId },
          ]}
        />
      </Card>
      {account.environment === 'test' && account.criada && can('simulateReceivingReview') && (
        <SimulateReviewForm onDone={refresh} />
      )}
    </>
  )
}

function TrackStatus({ track }: { track: Track | null | undefined }) {
  return track ? <Status tone={TRACK_TONES[track]}>{tracks[track]}</Status> : receivingWords.never
}
