import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { words } from '../words/pt-BR'
import { Icon } from './icons'
import css from './Modal.module.css'

type Props = {
  title: string
  lead?: string
  /** For a picture that is read. */
  wide?: boolean
  /** Without it the dialog stays until its content ends it. */
  onClose?: () => void
  children: ReactNode
}

/** A dialog over the page, which keeps its state: a box on a desk, a sheet from below on a phone. */
export function Modal({ title, lead, wide = false, onClose, children }: Props) {
  return (
    <Dialog.Root open disablePointerDismissal={!onClose} onOpenChange={(open) => !open && onClose?.()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={css.backdrop} />
        <Dialog.Popup className={`${css.popup} ${wide ? css.wide : ''}`}>
          <div className={css.head}>
            <Dialog.Title className={css.title}>{title}</Dialog.Title>
            {onClose && (
              <Dialog.Close className={css.close} aria-label={words.close}>
                <Icon name="cross" />
              </Dialog.Close>
            )}
          </div>
          {lead && <Dialog.Description className={css.lead}>{lead}</Dialog.Description>}
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
