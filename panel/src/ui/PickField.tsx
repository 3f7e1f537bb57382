import { lazy, Suspense } from 'react'
import type { Pick, PickProps } from './PickInput'
import { Skeleton } from './Skeleton'

export type { Pick } from './PickInput'

/** Records that can be picked: how they are searched, and read by their id. */
export type PickSource = {
  of: string
  find: PickProps<Pick>['find']
  read: (id: string, signal: AbortSignal) => Promise<Pick>
}

// Base UI's combobox is large, and most pages that have one show it late.
const PickInput = lazy(() => import('./PickInput').then((module) => ({ default: module.PickInput<Pick> })))

/** A field that searches the store's records while one types, and sends the id of the chosen one. */
export function PickField<Item extends Pick>(props: PickProps<Item>) {
  return (
    <Suspense fallback={<Skeleton lines={1} />}>
      <PickInput {...(props as unknown as PickProps<Pick>)} />
    </Suspense>
  )
}
