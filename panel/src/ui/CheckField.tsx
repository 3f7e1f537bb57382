import { Field } from '@base-ui/react/field'
import css from './CheckField.module.css'
import { FieldError } from './FieldError'

type Props = {
  name: string
  label: string
  hint?: string
  defaultChecked?: boolean
  required?: boolean
  value?: string
}

/** A labelled native check box. A form sends `value`, by default `on`, if it is checked. */
export function CheckField({ name, label, hint, ...box }: Props) {
  return (
    <Field.Root name={name} className={css.field}>
      {/* Not `Field.Label`, which names a `Field.Control` and leaves this box without a label. */}
      <label className={css.label}>
        <input type="checkbox" name={name} className={css.box} {...box} />
        {label}
      </label>
      {hint && <Field.Description className={css.hint}>{hint}</Field.Description>}
      <FieldError />
    </Field.Root>
  )
}
