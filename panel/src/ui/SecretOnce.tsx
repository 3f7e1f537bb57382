import { useBlocker } from '@tanstack/react-router'
import { useRef } from 'react'
import { Button } from './Button'
import { Code } from './Code'
import { Modal } from './Modal'
import css from './Modal.module.css'
import { Notice } from './Notice'
import { secretWords } from './secretWords'

type Props = { lead: string; secret: string; onKept: () => void }

/** A secret that the gateway shows only now. Leaving the page asks first, until the person has kept it. */
export function SecretOnce({ lead, secret, onKept }: Props) {
  const kept = useRef(false)
  const blocker = useBlocker({
    shouldBlockFn: () => !kept.current,
    enableBeforeUnload: () => !kept.current,
    withResolver: true,
  })

  function keep() {
    kept.current = true
    onKept()
  }

  return (
    <>
      <Notice kind="info">{lead}</Notice>
      <Code text={secret} />
      <Button onClick={keep}>{secretWords.kept}</Button>
      {blocker.status === 'blocked' && (
        <Modal title={secretWords.leaveTitle} lead={secretWords.leaveLead} onClose={blocker.reset}>
          <div className={css.actions}>
            <Button look="plain" onClick={blocker.reset}>
              {secretWords.stay}
            </Button>
            <Button look="danger" onClick={blocker.proceed}>
              {secretWords.leave}
            </Button>
          </div>
        </Modal>
      )}
    </>
  )
}
