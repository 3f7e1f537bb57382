import { type ChangeEvent, type ClipboardEvent, useLayoutEffect, useRef, useState } from 'react'
import {
  formatDocument,
  formatPhone,
  formatPostalCode,
  formatTypedDecimal,
  formatTypedInteger,
  formatTypedMoney,
  formatWrittenMoney,
} from './format'
import { TextField } from './TextField'

const KINDS = {
  money: { format: formatTypedMoney, inputMode: 'numeric', placeholder: '0,00' },
  integer: { format: formatTypedInteger, inputMode: 'numeric', placeholder: '' },
  decimal: { format: formatTypedDecimal, inputMode: 'decimal', placeholder: '' },
  document: { format: formatDocument, inputMode: 'text', placeholder: '' },
  phone: { format: formatPhone, inputMode: 'tel', placeholder: '(00) 00000-0000' },
  postalCode: { format: formatPostalCode, inputMode: 'numeric', placeholder: '00000-000' },
} as const

type Props = Omit<React.ComponentProps<typeof TextField>, 'value' | 'onChange' | 'inputMode' | 'defaultValue'> & {
  kind: keyof typeof KINDS
  defaultValue?: string
}

/** A text field that gives numbers, documents, phones and postal codes their Brazilian form while they are typed. */
export function TypedField({ kind, defaultValue = '', ...props }: Props) {
  const { format, inputMode, placeholder } = KINDS[kind]
  const [text, setText] = useState(() => format(defaultValue))
  const input = useRef<HTMLInputElement>(null)
  const digitsAfterCaret = useRef<number | null>(null)

  // The caret stays before the same characters, and the format may add signs.
  useLayoutEffect(() => {
    const element = input.current
    if (!element || digitsAfterCaret.current === null || document.activeElement !== element) return
    let at = text.length
    for (let left = digitsAfterCaret.current; left > 0 && at > 0; at--) if (isTyped(text[at - 1])) left--
    element.setSelectionRange(at, at)
    digitsAfterCaret.current = null
  }, [text])

  function change(event: ChangeEvent<HTMLInputElement>) {
    const { value, selectionStart } = event.currentTarget
    const written = kind === 'money' && value !== '' && isWritten(event.nativeEvent)
    const next = written ? (formatWrittenMoney(value) ?? text) : format(value)
    digitsAfterCaret.current = [...value.slice(selectionStart ?? value.length)].filter(isTyped).length
    // Now, because the form reads its fields while this event bubbles.
    event.currentTarget.value = next
    setText(next)
  }

  // A pasted amount takes the place of the one before: their digits together are neither.
  function paste(event: ClipboardEvent<HTMLInputElement>) {
    if (kind === 'money') event.currentTarget.select()
  }

  return (
    <TextField
      ref={input}
      inputMode={inputMode}
      placeholder={placeholder}
      {...props}
      value={text}
      onChange={change}
      onPaste={paste}
    />
  )
}

const isTyped = (character: string | undefined): boolean => /[0-9A-Za-z]/.test(character ?? '')

/** Whether the text was pasted, dropped, or filled in by the browser. The last has no type in Chromium. */
const isWritten = (event: Event): boolean =>
  !('inputType' in event) || /^insert(From|Replacement)/.test(String(event.inputType))
