import { Code } from '../ui/Code'
import { Disclosure } from '../ui/Disclosure'
import { formatTime } from '../ui/format'
import css from './Attempts.module.css'
import type { Delivery } from './queries'
import { headersOf } from './signature'
import { attemptErrors, webhookWords } from './words'

type Attempt = Delivery['attempts'][number]

/** Each attempt on a line, which opens to what was sent and what came back. */
export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p>{webhookWords.attemptsNone}</p>
  return (
    <ol className={css.attempts}>
      {attempts.map((attempt) => (
        <li key={attempt.number}>
          <Disclosure label={lineOf(attempt)}>
            <Part title={webhookWords.sentHeaders} text={textOf(attempt.requestHeaders)} />
            <Part title={webhookWords.answerHeaders} text={textOf(attempt.responseHeaders)} />
            <Part title={webhookWords.answerBody} text={attempt.response ?? ''} />
          </Disclosure>
        </li>
      ))}
    </ol>
  )
}

function Part({ title, text }: { title: string; text: string }) {
  if (!text) return null
  return (
    <div className={css.content}>
      <h3>{title}</h3>
      <Code text={text} />
    </div>
  )
}

function lineOf({ number, startedAt, durationMs, address, status, errorCode }: Attempt): string {
  return [
    webhookWords.attempt(number),
    formatTime(startedAt),
    status ?? webhookWords.noAnswer,
    webhookWords.milliseconds(durationMs),
    address,
    errorCode && (attemptErrors[errorCode] ?? errorCode),
  ]
    .filter(Boolean)
    .join(' · ')
}

const textOf = (headers: unknown): string =>
  Object.entries(headersOf(headers))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
