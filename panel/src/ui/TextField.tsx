import { Field } from '@base-ui/react/field'
import type { ComponentProps } from 'react'
import { FieldError } from './FieldError'
import css from './TextField.module.css'

type Props = Omit<ComponentProps<typeof Field.Control>, 'className' | 'name'> & {
  name: string
  label: string
  hint?: string | undefined
  /** What is wrong with what has been typed so far. The form can be sent all the same: the gateway decides. */
  problem?: string | undefined
  /** The gateway has refused what has been typed: the form waits for something else. */
  refused?: boolean
}

/** A labelled text input, with the gateway's message for its field. */
export function TextField({ name, label, hint, problem, refused = false, ...input }: Props) {
  return (
    <Field.Root name={name} className={css.field} invalid={refused}>
      <Field.Label className={css.label}>{label}</Field.Label>
      <Field.Control {...input} {...(problem && { 'aria-invalid': true })} className={css.input} />
      {hint && <Field.Description className={css.hint}>{hint}</Field.Description>}
      <FieldError problem={problem} />
    </Field.Root>
  )
}
