import { Card } from '../ui/Card'
import { Code } from '../ui/Code'
import { CopyButton } from '../ui/CopyButton'
import { Disclosure } from '../ui/Disclosure'
import type { Charge } from './queries'
import { chargeWords } from './words'

/** The same charge as an integration reads it: over REST, and as GraphQL has just answered. */
export function ChargeForDevelopers({ charge: { qrCodeUrl: _, ...charge } }: { charge: Charge }) {
  return (
    <Card title={chargeWords.developers}>
      <div>
        <CopyButton text={charge.id} label={chargeWords.copyId} shortcut="y" />
      </div>
      <Disclosure label="API">
        <Code text={`curl ${location.origin}/pix/${charge.id} -H 'Authorization: Bearer SUA_CHAVE'`} />
        <Code text={JSON.stringify({ data: { charge } }, null, 2)} />
      </Disclosure>
    </Card>
  )
}
