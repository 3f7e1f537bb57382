import { useQueryClient } from '@tanstack/react-query'
import { ask } from '../api/ask'
import { ADVANCE_CLOCK, clockQuery } from '../clock/queries'
import { ConfirmButton } from '../ui/ConfirmButton'
import { subscriptionWords } from './words'

const CHECK_MILLISECONDS = 500

/** Moves the test clock to an instant, and waits until all that is due on the way has happened. */
export function AdvanceButton({ to }: { to: string }) {
  const cache = useQueryClient()

  async function advance() {
    await ask(ADVANCE_CLOCK, { to })
    while ((await cache.fetchQuery({ ...clockQuery, staleTime: 0 })).status === 'advancing') {
      await new Promise((resolve) => setTimeout(resolve, CHECK_MILLISECONDS))
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
