import { Field } from '@base-ui/react/field'
import { FieldError } from './FieldError'
import css from './TextField.module.css'

type Props = {
  name: string
  label: string
  hint?: string
  options: readonly { value: string; label: string }[]
  defaultValue?: string
  onChoose?: (value: string) => void
}

/** A labelled native menu in a form. */
export function SelectField({ name, label, hint, options, defaultValue, onChoose }: Props) {
  return (
    <Field.Root name={name} className={css.field}>
      <Field.Label className={css.label}>{label}</Field.Label>
      <Field.Control
        className={css.input}
        defaultValue={defaultValue}
        onValueChange={(value) => onChoose?.(String(value))}
        render={
          <select>
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
        }
      />
      {hint && <Field.Description className={css.hint}>{hint}</Field.Description>}
      <FieldError />
    </Field.Root>
  )
}
