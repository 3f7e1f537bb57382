import { Form as BaseForm } from '@base-ui/react/form'
import { type ReactNode, type SubmitEvent, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { GatewayError } from '../api/errors'
import { words } from '../words/pt-BR'
import { Button } from './Button'
import css from './Form.module.css'
import { messageOf, sentencesOf } from './messageOf'
import { Notice } from './Notice'
import { useCountdown } from './useCountdown'

type Props = {
  submit: string
  /** The way out, next to the button that sends. */
  cancel?: ReactNode
  /** What to say after a success, on a page that stays. */
  done?: string
  children: ReactNode
  /**
   * Values by field name; those of a group of check boxes with commas between them. What it throws is shown: messages of
   * fields at their fields, others above.
   */
  onSubmit: (values: Record<string, string>) => Promise<void>
  /** The values after each change, for what is drawn of them. */
  onChange?: (values: Record<string, string>) => void
}

/** A form whose rules are the gateway's. Nothing typed is lost when it is refused. */
export function Form({ submit, cancel, done, children, onSubmit, onChange }: Props) {
  const [busy, setBusy] = useState(false)
  const [succeeded, setSucceeded] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [above, setAbove] = useState<string | null>(null)
  const wait = useCountdown(error)
  // Base UI focuses the first invalid field when this object changes after a submission.
  const fields = useMemo(() => (error instanceof GatewayError ? error.fields : {}), [error])

  async function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const form = event.currentTarget
    setBusy(true)
    setSucceeded(false)
    try {
      await onSubmit(valuesOf(form))
      setError(null)
      setAbove(null)
      setSucceeded(true)
    } catch (failure) {
      setError(failure)
      setAbove(messageAbove(failure, form))
    } finally {
      setBusy(false)
    }
  }

  return (
    <BaseForm
      className={css.form}
      errors={fields}
      // Base UI holds back a form while the field of a message is unedited, but another field may be what was corrected.
      onSubmitCapture={() => flushSync(() => setError(null))}
      onSubmit={send}
      onChange={(event) => onChange?.(valuesOf(event.currentTarget))}
    >
      {above !== null && <Notice kind="error">{above}</Notice>}
      {children}
      <div className={css.actions}>
        <Button type="submit" busy={busy} disabled={wait > 0}>
          {wait > 0 ? words.retryIn(wait) : submit}
        </Button>
        {cancel}
      </div>
      {done && succeeded && <Notice kind="info">{done}</Notice>}
    </BaseForm>
  )
}

function valuesOf(form: HTMLFormElement): Record<string, string> {
  const data = new FormData(form)
  const names = [...new Set(data.keys())]
  return Object.fromEntries(names.map((name) => [name, data.getAll(name).map(String).join()]))
}

/** What no field of the form can show: the error itself, or its messages of other fields. */
function messageAbove(error: unknown, form: HTMLFormElement): string | null {
  const fields = error instanceof GatewayError ? Object.entries(error.fields) : []
  const elsewhere = fields.filter(([name]) => !form.elements.namedItem(name))
  if (elsewhere.length === fields.length) return messageOf(error)
  return elsewhere.length > 0 ? sentencesOf(elsewhere) : null
}
