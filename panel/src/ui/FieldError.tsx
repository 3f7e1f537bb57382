import { Field } from '@base-ui/react/field'
import { words } from '../words/pt-BR'
import css from './FieldError.module.css'

/** What is wrong with a field, in our words: a browser uses the language that it is set to. */
export function FieldError({ problem }: { problem?: string | undefined }) {
  if (problem) {
    return (
      <Field.Error match role="alert" className={css.error}>
        {problem}
      </Field.Error>
    )
  }
  return (
    <Field.Validity>
      {({ validity: { valueMissing, typeMismatch, badInput } }) => {
        const wrong = typeMismatch || badInput ? words.fieldInvalid : undefined
        const text = valueMissing ? words.fieldMissing : wrong
        return <Field.Error className={css.error} {...(text && { children: text })} />
      }}
    </Field.Validity>
  )
}
