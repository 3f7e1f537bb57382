import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { Button } from './Button'
import { Modal } from './Modal'
import css from './Modal.module.css'
import { Notice } from './Notice'
import { secretWords } from './secretWords'

type Props = {
  lead: string
  children: ReactNode
  /** The button that confirms. */
  confirm?: string
  onStored: () => void
}

/** A secret that the gateway shows only now. Leaving the page asks first, until the person confirms that it is stored. */
export function SecretOnce({ lead, children, confirm = secretWords.stored, onStored }: Props) {
  const stored = useRef(false)
  const blocker = useBlocker({
    shouldBlockFn: () => !stored.current,
    enableBeforeUnload: () => !stored.current,
    withResolver: true,
  })

  function store() {
    stored.current = true
    onStored()
  }

  return (
    <>
      <Notice kind="info">{lead}</Notice>
      {children}
      <div>
        <Button onClick={store}>{confirm}</Button>
      </div>
      {blocker.status === 'blocked' && (
        <Modal title={secretWords.leaveTitle} lead={secretWords.leaveLead} onClose={blocker.reset}>
          <div className={css.actions}>
            <Button variant="plain" onClick={blocker.reset}>
              {secretWords.stay}
            </Button>
            <Button variant="danger" onClick={blocker.proceed}>
              {secretWords.leave}
            </Button>
          </div>
        </Modal>
      )}
    </>
  )
}
