import { Dialog } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import css from './Modal.module.css'

/** A dialog that stays until its content closes it. The page below keeps its state. */
export function Modal({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <Dialog.Root open disablePointerDismissal>
      <Dialog.Portal>
        <Dialog.Backdrop className={css.backdrop} />
        <Dialog.Popup className={css.popup}>
          <Dialog.Title className={css.title}>{title}</Dialog.Title>
          <Dialog.Description className={css.lead}>{lead}</Dialog.Description>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
