import { Field } from '@base-ui/react/field'
import type { ComponentProps } from 'react'
import { FieldError } from './FieldError'
import css from './TextField.module.css'

type Props = Omit<ComponentProps<typeof Field.Control>, 'className' | 'name'> & {
  name: string
  label: string
  hint?: string | undefined
  /** What the gateway says of the text before the form is sent. */
  error?: string | undefined
}

/** A labelled text input, with the gateway's message for its field. */
export function TextField({ name, label, hint, error, ...input }: Props) {
  return (
    <Field.Root name={name} className={css.field} invalid={error !== undefined}>
      <Field.Label className={css.label}>{label}</Field.Label>
      <Field.Control {...input} className={css.input} />
      {hint && <Field.Description className={css.hint}>{hint}</Field.Description>}
      <FieldError error={error} />
    </Field.Root>
  )
}
