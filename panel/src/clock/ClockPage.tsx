import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { useCan } from '../frame/queries'
import { useSession } from '../session/useSession'
import { ActionButton } from '../ui/ActionButton'
import { Card } from '../ui/Card'
import { Facts } from '../ui/Facts'
import { Form } from '../ui/Form'
import { formatFullTime, formatInteger, instantOf, localTimeOf, timeZoneName } from '../ui/format'
import { Heading } from '../ui/Heading'
import { Notice } from '../ui/Notice'
import { TextField } from '../ui/TextField'
import { AdvanceEvents } from './AdvanceEvents'
import css from './ClockPage.module.css'
import { later } from './later'
import { clockQuery } from './queries'
import { clockWords } from './words'

const ADVANCE = graphql(`
  mutation MoveTestClock($to: DateTime!) { advanceTestClock(to: $to) { now offsetSeconds } }
`)
const STEPS = ['day', 'week', 'month'] as const
const HOUR_SECONDS = 3600

export function ClockPage() {
  const test = useSession()?.environment === 'test'
  return (
    <>
      <Heading title={clockWords.title} />
      {test ? <Clock /> : <p>{clockWords.testOnly}</p>}
    </>
  )
}

function Clock() {
  const can = useCan()
  const cache = useQueryClient()
  const { data: clock } = useSuspenseQuery(clockQuery)
  const [from, setFrom] = useState<string | null>(null)
  const advancing = clock.status === 'advancing'

  // Charges, subscriptions and all else may have changed on the way.
  useEffect(() => {
    if (advancing) return () => void cache.invalidateQueries()
  }, [advancing, cache])

  async function move(to: string) {
    const { advanceTestClock } = await request(ADVANCE, { to })
    setFrom(realTimeOf(present(advanceTestClock)))
    await cache.invalidateQueries({ queryKey: clockQuery.queryKey })
  }

  return (
    <>
      <p>{clockWords.lead}</p>
      <Card title={clockWords.storeTime}>
        <Facts
          facts={[
            { term: clockWords.now, value: formatFullTime(clock.now) },
            { term: clockWords.ahead, value: aheadOf(clock.offsetSeconds) },
            { term: clockWords.advancingTo, value: clock.advancingTo && formatFullTime(clock.advancingTo) },
          ]}
        />
        {advancing && <Notice kind="info">{clockWords.advancing}</Notice>}
      </Card>
      {can('advanceTestClock') && !advancing && (
        <Card title={clockWords.advance}>
          <div className={css.steps}>
            {STEPS.map((step) => (
              <ActionButton key={step} label={clockWords[step]} onAct={() => move(later(clock.now, step))} />
            ))}
          </div>
          <Form submit={clockWords.advanceTo} onSubmit={({ to = '' }) => move(instantOf(to))}>
            <TextField
              key={clock.offsetSeconds}
              name="to"
              type="datetime-local"
              label={clockWords.to}
              hint={timeZoneName()}
              defaultValue={localTimeOf(new Date(later(clock.now, 'day')))}
              required
            />
          </Form>
        </Card>
      )}
      {from && <AdvanceEvents from={from} advancing={advancing} />}
    </>
  )
}

/** The offset has whole seconds, so this may be a second early. */
const realTimeOf = ({ now, offsetSeconds }: { now: string; offsetSeconds: number }): string =>
  new Date(Date.parse(now) - (offsetSeconds + 1) * 1000).toISOString()

function aheadOf(seconds: number): string {
  const hours = Math.round(seconds / HOUR_SECONDS)
  if (hours === 0) return clockWords.onTime
  return hours < 48 ? clockWords.hours(formatInteger(hours)) : clockWords.days(formatInteger(Math.round(hours / 24)))
}
