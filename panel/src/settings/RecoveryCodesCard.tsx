import { useEffect } from 'react'
import { PrintButton } from '../sheet/PrintButton'
import { Button } from '../ui/Button'
import { Card } from '../ui/Card'
import { CopyButton } from '../ui/CopyButton'
import css from './RecoveryCodesCard.module.css'
import { securityWords } from './words'

type Props = { codes: readonly string[]; onStored: () => void }

/** The recovery codes, once. The browser asks before it leaves. */
export function RecoveryCodesCard({ codes, onStored }: Props) {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [])
  return (
    <Card title={securityWords.codesTitle}>
      <p>{securityWords.codesLead}</p>
      <ul className={css.codes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className={css.buttons}>
        <CopyButton text={codes.join('\n')} label={securityWords.copyCodes} />
        <PrintButton />
        <Button onClick={onStored}>{securityWords.stored}</Button>
      </div>
    </Card>
  )
}
