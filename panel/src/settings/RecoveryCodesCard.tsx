import { PrintButton } from '../sheet/PrintButton'
import { Card } from '../ui/Card'
import { CopyButton } from '../ui/CopyButton'
import { SecretOnce } from '../ui/SecretOnce'
import css from './RecoveryCodesCard.module.css'
import { securityWords } from './words'

type Props = { codes: readonly string[]; onStored: () => void }

/** The recovery codes, once. */
export function RecoveryCodesCard({ codes, onStored }: Props) {
  return (
    <Card title={securityWords.codesTitle}>
      <SecretOnce lead={securityWords.codesLead} confirm={securityWords.stored} onStored={onStored}>
        <ul className={css.codes}>
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className={css.buttons}>
          <CopyButton text={codes.join('\n')} label={securityWords.copyCodes} />
          <PrintButton />
        </div>
      </SecretOnce>
    </Card>
  )
}
