import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Card } from '../ui/Card'
import { Code } from '../ui/Code'
import { Disclosure } from '../ui/Disclosure'
import { ErrorNotice } from '../ui/ErrorNotice'
import { Skeleton } from '../ui/Skeleton'
import { type Charge, chargeResponseQuery } from './queries'
import { chargeWords } from './words'

/** The same charge as an integration reads it. */
export function ChargeForDevelopers({ charge }: { charge: Charge }) {
  const [opened, setOpened] = useState(false)
  return (
    <Card title={chargeWords.developers}>
      <Disclosure label="API" onOpen={() => setOpened(true)}>
        <Code text={`curl ${location.origin}/pix/${charge.id} -H 'Authorization: Bearer SUA_CHAVE'`} />
        {opened && <Response charge={charge} />}
      </Disclosure>
    </Card>
  )
}

function Response({ charge }: { charge: Charge }) {
  const response = useQuery(chargeResponseQuery(charge))
  if (response.error) return <ErrorNotice error={response.error} onRetry={response.refetch} />
  return response.isPending ? <Skeleton /> : <Code text={JSON.stringify(response.data, null, 2)} />
}
