import { useQueryClient } from '@tanstack/react-query'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { ConfirmButton } from '../ui/ConfirmButton'
import { subscriptionWords } from './words'

const CHECK_MILLISECONDS = 500

const ADVANCE = graphql(`
  mutation AdvanceToNextCharge($to: DateTime!) { advanceTestClock(to: $to) { status } }
`)
const CLOCK = graphql(`
  query ClockStatus { testClock { status } }
`)

/** Moves the test clock to an instant, and waits until all that is due on the way has happened. */
export function AdvanceButton({ to }: { to: string }) {
  const cache = useQueryClient()

  async function advance() {
    let clock = present((await request(ADVANCE, { to })).advanceTestClock)
    while (clock.status === 'advancing') {
      await new Promise((resolve) => setTimeout(resolve, CHECK_MILLISECONDS))
      clock = present((await request(CLOCK, {})).testClock)
    }
    await cache.invalidateQueries()
  }

  return (
    <ConfirmButton
      label={subscriptionWords.advance}
      title={subscriptionWords.advanceTitle}
      lead={subscriptionWords.advanceLead}
      confirm={subscriptionWords.advanceConfirm}
      onConfirm={advance}
    />
  )
}
