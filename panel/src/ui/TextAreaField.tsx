import { Field } from '@base-ui/react/field'
import { FieldError } from './FieldError'
import css from './TextField.module.css'

type Props = {
  name: string
  label: string
  hint?: string
  defaultValue?: string
  maxLength?: number
  required?: boolean
}

/** A labelled text of several lines. */
export function TextAreaField({ name, label, hint, ...input }: Props) {
  return (
    <Field.Root name={name} className={css.field}>
      <Field.Label className={css.label}>{label}</Field.Label>
      <Field.Control {...input} className={css.input} render={<textarea rows={3} />} />
      {hint && <Field.Description className={css.hint}>{hint}</Field.Description>}
      <FieldError />
    </Field.Root>
  )
}
