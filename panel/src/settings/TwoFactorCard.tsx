import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { viewerQuery } from '../frame/queries'
import { Button } from '../ui/Button'
import { Card } from '../ui/Card'
import { Facts } from '../ui/Facts'
import { Notice } from '../ui/Notice'
import { Status } from '../ui/Status'
import { Time } from '../ui/Time'
import { EnrolDialog } from './EnrolDialog'
import { ProofDialog } from './ProofDialog'
import css from './Qr.module.css'
import { sessionsQuery, twoFactorQuery } from './queries'
import { securityWords } from './words'

const RENEW = graphql(`
  mutation RenewRecoveryCodes($input: ProveTwoFactorInput!) {
    renewRecoveryCodes(input: $input) { recoveryCodes }
  }
`)
const DISABLE = graphql(`
  mutation DisableTwoFactor($input: ProveTwoFactorInput!) { disableTwoFactor(input: $input) { enabled } }
`)

type Props = { onCodes: (codes: readonly string[]) => void }

export function TwoFactorCard({ onCodes }: Props) {
  const { data: factor } = useSuspenseQuery(twoFactorQuery)
  const [open, setOpen] = useState<'enrol' | 'renew' | 'disable' | null>(null)
  const cache = useQueryClient()
  const close = () => setOpen(null)

  async function refresh() {
    close()
    const changed = [twoFactorQuery.queryKey, sessionsQuery.queryKey, viewerQuery.queryKey]
    await Promise.all(changed.map((queryKey) => cache.invalidateQueries({ queryKey })))
  }

  async function show(codes: readonly string[]) {
    onCodes(codes)
    await refresh()
  }

  return (
    <Card
      title={securityWords.twoFactor}
      actions={
        <Status tone={factor.enabled ? 'good' : 'quiet'}>
          {factor.enabled ? securityWords.on : securityWords.off}
        </Status>
      }
    >
      {factor.required && !factor.enabled && <Notice kind="error">{securityWords.required}</Notice>}
      <p>{securityWords.lead}</p>
      {factor.enabled && (
        <Facts
          facts={[
            { term: securityWords.since, value: factor.enabledAt && <Time value={factor.enabledAt} /> },
            { term: securityWords.codesLeft, value: String(factor.recoveryCodesLeft) },
          ]}
        />
      )}
      <div className={css.buttons}>
        {!factor.enabled && <Button onClick={() => setOpen('enrol')}>{securityWords.begin}</Button>}
        {factor.enabled && (
          <>
            <Button variant="plain" onClick={() => setOpen('renew')}>
              {securityWords.renew}
            </Button>
            <Button variant="plain" onClick={() => setOpen('disable')}>
              {securityWords.disable}
            </Button>
          </>
        )}
      </div>
      {open === 'enrol' && <EnrolDialog onClose={close} onEnabled={show} />}
      {open === 'renew' && (
        <ProofDialog
          title={securityWords.renew}
          lead={securityWords.renewLead}
          onClose={close}
          onProve={async (input) => show(present((await request(RENEW, { input })).renewRecoveryCodes).recoveryCodes)}
        />
      )}
      {open === 'disable' && (
        <ProofDialog
          title={securityWords.disable}
          lead={securityWords.disableLead}
          onClose={close}
          onProve={(input) => request(DISABLE, { input }).then(refresh)}
        />
      )}
    </Card>
  )
}
