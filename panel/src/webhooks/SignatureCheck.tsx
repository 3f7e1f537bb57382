import { useCallback, useEffect, useState } from 'react'
import { Card } from '../ui/Card'
import { Choice } from '../ui/Choice'
import { Code } from '../ui/Code'
import { Disclosure } from '../ui/Disclosure'
import { Facts } from '../ui/Facts'
import { Form } from '../ui/Form'
import { Status } from '../ui/Status'
import { TextField } from '../ui/TextField'
import type { Delivery } from './queries'
import { secretOf } from './secrets'
import { checkSignatures, headersOf, type Verdict } from './signature'
import { verification } from './verification'
import { webhookWords } from './words'

/**
 * Checks the signatures of the last attempt against a pasted secret, in this browser. A secret that this page has shown
 * before is checked by itself.
 */
export function SignatureCheck({ delivery }: { delivery: Delivery }) {
  const [verdict, setVerdict] = useState<Verdict | null>(null)
  const known = secretOf(delivery.endpointId)
  const sent = Object.keys(headersOf(delivery.requestHeaders)).length > 0
  const possible = sent && isSecureContext
  const check = useCallback(
    async (secret: string) =>
      setVerdict(await checkSignatures(secret, headersOf(delivery.requestHeaders), delivery.payload)),
    [delivery],
  )
  useEffect(() => {
    if (known && possible) void check(known)
  }, [known, possible, check])

  return (
    <Card title={webhookWords.signature}>
      {possible && (
        <>
          <p>{webhookWords.signatureLead(`${delivery.endpoint?.secretPreview ?? 'whsec_'}…`)}</p>
          <Form submit={webhookWords.check} onSubmit={({ secret = '' }) => check(secret.trim())}>
            <TextField
              name="secret"
              label={webhookWords.signatureSecret}
              autoComplete="off"
              spellCheck={false}
              onValueChange={() => setVerdict(null)}
              required
            />
          </Form>
        </>
      )}
      {!possible && <p>{isSecureContext ? webhookWords.noSignature : webhookWords.insecure}</p>}
      <div role="status">{verdict && <VerdictFacts {...verdict} />}</div>
      <Verification />
    </Card>
  )
}

function VerdictFacts({ standard, simple }: Verdict) {
  return (
    <Facts
      facts={[
        { term: 'webhook-signature', value: <Match matches={standard} /> },
        { term: 'X-Service-Signature', value: <Match matches={simple} /> },
      ]}
    />
  )
}

function Match({ matches }: { matches: boolean }) {
  return matches ? (
    <Status tone="good">{webhookWords.matches}</Status>
  ) : (
    <Status tone="bad">{webhookWords.differs}</Status>
  )
}

const LANGUAGES = [
  { value: 'node', label: 'Node' },
  { value: 'python', label: 'Python' },
  { value: 'php', label: 'PHP' },
] as const

/** The code that a merchant's server needs. */
function Verification() {
  const [language, setLanguage] = useState<(typeof LANGUAGES)[number]['value']>('node')
  return (
    <Disclosure label={webhookWords.verify}>
      <Choice label={webhookWords.language} value={language} options={LANGUAGES} onChange={setLanguage} />
      <Code text={verification[language]} />
    </Disclosure>
  )
}
