import { Code } from '../ui/Code'
import { webhookWords } from './words'

/** The body of an event: broken into lines to read, copied as it is signed. */
export function Payload({ text }: { text: string }) {
  return (
    <>
      <p>{webhookWords.payloadLead}</p>
      <Code text={JSON.stringify(JSON.parse(text), shorten, 2)} copied={text} />
    </>
  )
}

const MAX_SHOWN = 200

/** A QR code is an image of some kilobytes, too long to show. */
function shorten(_name: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value
}
