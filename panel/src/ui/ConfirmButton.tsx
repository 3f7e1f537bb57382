import { AlertDialog } from '@base-ui/react/alert-dialog'
import { type ReactNode, useState } from 'react'
import { GatewayError } from '../api/errors'
import { words } from '../words/pt-BR'
import { Button } from './Button'
import css from './Modal.module.css'
import { messageOf } from './messageOf'
import { Notice } from './Notice'
import { useCountdown } from './useCountdown'

type Props = {
  label: string
  title: string
  /** What will happen. */
  lead: ReactNode
  /** The name of the action, on the button that does it. */
  confirm: string
  /** By default the action takes something away. */
  variant?: 'primary' | 'danger'
  onConfirm: () => Promise<unknown>
  /** What the same dialog offers when the action is refused with this code. */
  instead?: { code: string; label: string; onConfirm: () => Promise<unknown> } | false
}

/** A button whose action is confirmed in a dialog. It stays open with the gateway's sentence if the action fails. */
export function ConfirmButton({ label, title, lead, confirm, variant = 'danger', onConfirm, instead }: Props) {
  const [open, setOpen] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const wait = useCountdown(error)
  const other = instead && error instanceof GatewayError && error.code === instead.code ? instead : null

  async function act() {
    setBusy(true)
    try {
      await (other ?? { onConfirm }).onConfirm()
      setOpen(false)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  function change(next: boolean) {
    setError(null)
    setOpen(next)
  }

  return (
    <AlertDialog.Root open={open} onOpenChange={change}>
      <Button variant={variant === 'danger' ? 'plain' : variant} onClick={() => change(true)}>
        {label}
      </Button>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={css.backdrop} />
        <AlertDialog.Popup className={css.popup}>
          <AlertDialog.Title className={css.title}>{title}</AlertDialog.Title>
          <AlertDialog.Description className={css.lead}>{lead}</AlertDialog.Description>
          {error !== null && <Notice kind="error">{messageOf(error)}</Notice>}
          <div className={css.actions}>
            <Button variant="plain" onClick={() => change(false)}>
              {words.cancel}
            </Button>
            <Button variant={other ? 'primary' : variant} busy={busy} disabled={wait > 0} onClick={act}>
              {wait > 0 ? words.retryIn(wait) : (other?.label ?? confirm)}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
