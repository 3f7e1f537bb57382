import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useCan, viewerQuery } from '../frame/queries'
import { ActionButton } from '../ui/ActionButton'
import { Card } from '../ui/Card'
import { Facts } from '../ui/Facts'
import { Notice } from '../ui/Notice'
import { ProductionStatusLabel } from '../ui/ProductionStatusLabel'
import { Time } from '../ui/Time'
import { ApprovedCard } from './ApprovedCard'
import { Checklist } from './Checklist'
import { OwnerOnly } from './OwnerOnly'
import { type Production, productionQuery } from './queries'
import { SettingsLayout } from './SettingsLayout'
import { productionWords } from './words'

const REQUEST = graphql(`
  mutation RequestProduction { requestProduction { status } }
`)

export function ProductionPage() {
  const can = useCan()
  return can('production') ? <OwnProduction /> : <OwnerOnly title={productionWords.title} />
}

function OwnProduction() {
  const { data } = useSuspenseQuery(productionQuery)
  const cache = useQueryClient()
  const { production, documents } = data
  const { status } = production
  // The decision changes what the store may do, so the menu follows.
  useEffect(() => void cache.invalidateQueries({ queryKey: viewerQuery.queryKey }), [status, cache])
  const open = status === 'sandbox' || status === 'rejected'
  return (
    <SettingsLayout
      title={productionWords.title}
      status={
        <div>
          <ProductionStatusLabel status={status} />
        </div>
      }
    >
      <Decision production={production} />
      {status === 'approved' && <ApprovedCard />}
      <Card title={open ? productionWords.checklist : productionWords.submitted}>
        {status === 'sandbox' && <p>{productionWords.checklistLead}</p>}
        <Dates production={production} />
        <Checklist
          production={production}
          documents={documents}
          locked={status === 'pending' || status === 'approved'}
        />
        {open && <Request pendencias={production.pendencias} />}
      </Card>
    </SettingsLayout>
  )
}

/** What the staff said, on top. */
function Decision({ production }: { production: Production }) {
  const reason = production.motivoRecusa
  if (production.status === 'pending') return <Notice kind="info">{productionWords.pending}</Notice>
  if (production.status === 'rejected') {
    return (
      <Notice kind="error">
        {productionWords.rejected} {reason} {productionWords.rejectedLead}
      </Notice>
    )
  }
  if (production.status === 'suspended') {
    return (
      <Notice kind="error">
        {productionWords.suspended} {reason} {productionWords.suspendedLead}
      </Notice>
    )
  }
  return null
}

function Dates({ production }: { production: Production }) {
  const { solicitadaEm, revisadaEm } = production
  if (!solicitadaEm) return null
  return (
    <Facts
      facts={[
        { term: productionWords.requestedAt, value: <Time value={solicitadaEm} /> },
        { term: productionWords.reviewedAt, value: revisadaEm && <Time value={revisadaEm} /> },
      ]}
    />
  )
}

function Request({ pendencias }: { pendencias: readonly string[] }) {
  const cache = useQueryClient()
  if (pendencias.length > 0) return <p>{productionWords.left(pendencias.length)}</p>
  return (
    <>
      <p>{productionWords.ready}</p>
      <ActionButton
        variant="primary"
        label={productionWords.request}
        onAct={() => request(REQUEST, {}).then(() => cache.invalidateQueries({ queryKey: productionQuery.queryKey }))}
      />
    </>
  )
}
