import { useSuspenseQuery } from '@tanstack/react-query'
import { viewerQuery } from '../frame/queries'
import { timeZoneName } from '../ui/format'
import { words } from '../words/pt-BR'

/** How a printed sheet begins: the store, what it is about, the zone of its times, and that a test moves no money. */
export function SheetHead({ about }: { about?: string }) {
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  return (
    <div className="print-only">
      <strong>{viewer.store.name}</strong>
      {about && <div>{about}</div>}
      <div>{timeZoneName()}</div>
      {viewer.environment === 'test' && (
        <div>
          {words.frame.testNotice}. {words.frame.testDetail}
        </div>
      )}
    </div>
  )
}
