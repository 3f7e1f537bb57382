import { Field } from '@base-ui/react/field'
import css from './CheckField.module.css'
import { FieldError } from './FieldError'

type Props = {
  name: string
  label: string
  hint?: string
  options: readonly { value: string; label: string; detail?: string }[]
  defaultValues?: readonly string[]
}

/** Labelled native check boxes of one field. A form gets the checked values with commas between them. */
export function CheckGroupField({ name, label, hint, options, defaultValues = [] }: Props) {
  return (
    <Field.Root name={name} render={<fieldset />} className={css.group}>
      <legend className={css.legend}>{label}</legend>
      {hint && <Field.Description className={css.lead}>{hint}</Field.Description>}
      {options.map((option) => (
        <label key={option.value} className={css.label}>
          <input
            type="checkbox"
            name={name}
            value={option.value}
            className={css.box}
            defaultChecked={defaultValues.includes(option.value)}
          />
          <span>
            {option.label}
            {option.detail && <small className={css.detail}>{option.detail}</small>}
          </span>
        </label>
      ))}
      <FieldError />
    </Field.Root>
  )
}
