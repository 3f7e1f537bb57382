import { lazy, Suspense } from 'react'
import { words } from '../words/pt-BR'
import { Notice } from './Notice'
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
const PickInput = lazy(() =>
  import('./PickInput')
    .then((module) => ({ default: module.PickInput<Pick> }))
    .catch(() => ({ default: MissingInput })),
)

/** A field that searches the store's records while one types, and sends the id of the chosen one. */
export function PickField<Item extends Pick>(props: PickProps<Item>) {
  const pickProps = props as unknown as PickProps<Pick>
  return (
    <Suspense fallback={<PendingInput {...pickProps} />}>
      <PickInput {...pickProps} />
    </Suspense>
  )
}

function PendingInput(props: PickProps<Pick>) {
  return (
    <>
      <Skeleton lines={1} />
      <Unchanged {...props} />
    </>
  )
}

/** The connection failed: the rest of the form is of use. */
function MissingInput(props: PickProps<Pick>) {
  return (
    <>
      <Notice kind="error">{words.pick.missing(props.label)}</Notice>
      <Unchanged {...props} />
    </>
  )
}

/** A form that is sent without the field sends what the field held. */
function Unchanged({ name, defaultValue }: PickProps<Pick>) {
  return defaultValue && <input type="hidden" name={name} value={defaultValue.value} />
}
