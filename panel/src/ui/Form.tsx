import { Form as BaseForm } from '@base-ui/react/form'
import { type ReactNode, type SubmitEvent, useMemo, useState } from 'react'
import { GatewayError } from '../api/errors'
import { Button } from './Button'
import css from './Form.module.css'
import { messageOf } from './messageOf'
import { Notice } from './Notice'

type Props = {
  submit: string
  children: ReactNode
  /**
   * Values by field name; those of a group of check boxes with commas between them. What it throws is shown: messages of
   * fields at their fields, others above.
   */
  onSubmit: (values: Record<string, string>) => Promise<void>
}

/** A form whose rules are the gateway's. Nothing typed is lost when it is refused. */
export function Form({ submit, children, onSubmit }: Props) {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  // Base UI focuses the first invalid field when this object changes after a submission.
  const fields = useMemo(() => (error instanceof GatewayError ? error.fields : {}), [error])

  async function send(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    if (busy) return
    const values = valuesOf(new FormData(event.currentTarget))
    setBusy(true)
    try {
      await onSubmit(values)
      setError(null)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <BaseForm className={css.form} errors={fields} onSubmit={send}>
      {error !== null && Object.keys(fields).length === 0 && <Notice kind="error">{messageOf(error)}</Notice>}
      {children}
      <Button type="submit" busy={busy}>
        {submit}
      </Button>
    </BaseForm>
  )
}

function valuesOf(data: FormData): Record<string, string> {
  const names = [...new Set(data.keys())]
  return Object.fromEntries(names.map((name) => [name, data.getAll(name).map(String).join()]))
}
