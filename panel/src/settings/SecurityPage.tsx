import { useState } from 'react'
import { RecoveryCodesCard } from './RecoveryCodesCard'
import { SessionsCard } from './SessionsCard'
import { SettingsLayout } from './SettingsLayout'
import { TwoFactorCard } from './TwoFactorCard'
import { securityWords } from './words'

/** New recovery codes stand alone until they are stored: they aren't shown again. */
export function SecurityPage() {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  return (
    <SettingsLayout title={securityWords.title}>
      {codes ? (
        <RecoveryCodesCard codes={codes} onStored={() => setCodes(null)} />
      ) : (
        <>
          <TwoFactorCard onCodes={setCodes} />
          <SessionsCard />
        </>
      )}
    </SettingsLayout>
  )
}
