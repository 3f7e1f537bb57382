import { Combobox } from '@base-ui/react/combobox'
import { Field } from '@base-ui/react/field'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { words } from '../words/pt-BR'
import { FieldError } from './FieldError'
import { Icon } from './icons'
import { messageOf } from './messageOf'
import css from './PickInput.module.css'
import fieldCss from './TextField.module.css'
import { useDebounced } from './useDebounced'

/** A thing to pick. A form sends its `value`. */
export type Pick = { value: string; label: string; detail?: string | undefined }

export type PickProps<Item extends Pick> = {
  name: string
  label: string
  hint?: string
  defaultValue?: Item | null | undefined
  /** Names the things, for the cache. */
  of: string
  /** Reads the things that have these words. */
  find: (q: string, signal: AbortSignal) => Promise<readonly Item[]>
  onPick?: (item: Item | null) => void
}

/** A field that searches the store's records while one types, and sends the id of the chosen one. */
export function PickInput<Item extends Pick>({ name, label, hint, defaultValue, of, find, onPick }: PickProps<Item>) {
  const [picked, setPicked] = useState<Item | null>(defaultValue ?? null)
  const [typed, setTyped] = useState('')
  const [opened, setOpened] = useState(false)
  const wanted = picked && typed === picked.label ? '' : typed.trim()
  const q = useDebounced(wanted)
  const found = useQuery({
    queryKey: ['pick', of, q],
    queryFn: ({ signal }) => find(q, signal),
    enabled: opened,
    placeholderData: keepPreviousData,
  })

  function describeEmpty() {
    if (found.isPaused) return words.failure.unreachable
    if (found.isFetching || q !== wanted) return words.loading
    return found.error ? messageOf(found.error) : words.pick.none
  }

  function open() {
    setOpened(true)
    if (found.isError) void found.refetch()
  }

  function pick(next: Item | null) {
    setPicked(next)
    onPick?.(next)
  }

  return (
    <Field.Root name={name} className={fieldCss.field}>
      <Combobox.Root
        name={name}
        items={found.data ?? []}
        filter={null}
        value={picked}
        isItemEqualToValue={(one, other) => one.value === other.value}
        onValueChange={pick}
        onInputValueChange={setTyped}
        onOpenChange={(opening) => opening && open()}
      >
        <Field.Label className={fieldCss.label}>{label}</Field.Label>
        <div className={css.group}>
          <Combobox.Input className={fieldCss.input} placeholder={words.pick.placeholder} maxLength={200} />
          <Combobox.Clear className={css.clear} aria-label={words.pick.clear(label)}>
            <Icon name="cross" size={16} />
          </Combobox.Clear>
        </div>
        <Combobox.Portal>
          <Combobox.Positioner className={css.positioner} sideOffset={4}>
            <Combobox.Popup className={css.popup} aria-label={label}>
              <Combobox.Empty className={css.none}>{describeEmpty()}</Combobox.Empty>
              <Combobox.List>
                {(item: Item) => (
                  <Combobox.Item key={item.value} value={item} className={css.item}>
                    {item.label}
                    {item.detail && <small>{item.detail}</small>}
                  </Combobox.Item>
                )}
              </Combobox.List>
            </Combobox.Popup>
          </Combobox.Positioner>
        </Combobox.Portal>
      </Combobox.Root>
      {hint && <Field.Description className={fieldCss.hint}>{hint}</Field.Description>}
      <FieldError />
    </Field.Root>
  )
}
