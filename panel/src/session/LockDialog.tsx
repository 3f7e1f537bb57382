import { GatewayError } from '../api/errors'
import { Button } from '../ui/Button'
import { Modal } from '../ui/Modal'
import { words } from '../words/pt-BR'
import { LoginForm } from './LoginForm'
import { closeSession, currentSession, type NewSession, openSession } from './session'

/** Asks for the password over the page, whose forms keep what was typed. */
export function LockDialog() {
  function enter(session: NewSession) {
    if (session.user.id !== currentSession()?.userId) {
      throw new GatewayError(words.entry.otherAccount, 409, null, {})
    }
    openSession(session)
  }

  return (
    <Modal title={words.entry.lockTitle} lead={words.entry.lockLead}>
      <LoginForm onLogin={enter} />
      <Button variant="plain" onClick={closeSession}>
        {words.entry.leave}
      </Button>
    </Modal>
  )
}
