import { type ChangeEvent, useId } from 'react'
import css from './Choice.module.css'

type Props<Value extends string> = {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange: (value: Value) => void
}

/** A labelled native menu, which phones show best. */
export function Choice<Value extends string>({ label, value, options, onChange }: Props<Value>) {
  const id = useId()

  function choose(event: ChangeEvent<HTMLSelectElement>) {
    const chosen = options.find((option) => option.value === event.currentTarget.value)
    if (chosen) onChange(chosen.value)
  }

  return (
    <div className={css.choice}>
      <label htmlFor={id} className={css.label}>
        {label}
      </label>
      <select id={id} value={value} onChange={choose} className={css.select}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}
