import { Card } from '../ui/Card'
import { Code } from '../ui/Code'
import { Disclosure } from '../ui/Disclosure'
import type { Charge } from './queries'
import { chargeWords } from './words'

/** The same charge as an integration reads it. */
export function ChargeForDevelopers({ charge }: { charge: Charge }) {
  const metadata = JSON.stringify(charge.metadata, null, 2)
  return (
    <Card title={chargeWords.developers}>
      <Disclosure label="API">
        <Code text={`curl ${location.origin}/pix/${charge.id} -H 'Authorization: Bearer SUA_CHAVE'`} />
        {metadata !== '{}' && <Code text={metadata} />}
      </Disclosure>
    </Card>
  )
}
