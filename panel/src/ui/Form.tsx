import { Form as BaseForm } from '@base-ui/react/form'
import { type ReactNode, type SubmitEvent, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import { GatewayError } from '../api/errors'
import { Button } from './Button'
import css from './Form.module.css'
import { messageOf } from './messageOf'
import { Notice } from './Notice'

type Props = {
  submit: string
  /** What to say after a success, on a page that stays. */
  done?: string
  children: ReactNode
  /** Values by field name. What it throws is shown: messages of fields at their fields, others above. */
  onSubmit: (values: Record<string, string>) => Promise<void>
}

/** A form whose rules are the gateway's. Nothing typed is lost when it is refused. */
export function Form({ submit, done, children, onSubmit }: Props) {
  const [busy, setBusy] = useState(false)
  const [succeeded, setSucceeded] = useState(false)
  const [error, setError] = useState<unknown>(null)
  // Base UI focuses the first invalid field when this object changes after a submission.
  const fields = useMemo(() => (error instanceof GatewayError ? error.fields : {}), [error])

  async function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const values = Object.fromEntries(
      [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]),
    )
    setBusy(true)
    setSucceeded(false)
    try {
      await onSubmit(values)
      setError(null)
      setSucceeded(true)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <BaseForm
      className={css.form}
      errors={fields}
      // Base UI holds back a form while the field of a message is unedited, but another field may be what was mended.
      onSubmitCapture={() => flushSync(() => setError(null))}
      onSubmit={send}
    >
      {error !== null && Object.keys(fields).length === 0 && <Notice kind="error">{messageOf(error)}</Notice>}
      {children}
      <Button type="submit" busy={busy}>
        {submit}
      </Button>
      {done && succeeded && <Notice kind="info">{done}</Notice>}
    </BaseForm>
  )
}
