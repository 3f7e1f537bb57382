import { GatewayError } from '../api/errors'
import { Button } from '../ui/Button'
import { Modal } from '../ui/Modal'
import { words } from '../words/pt-BR'
import { chooseEnvironment } from './chooseEnvironment'
import { endSession } from './endSession'
import { LoginForm } from './LoginForm'
import { closeSession, currentSession, type NewSession, openSession } from './session'

/** Asks for the password over the page, whose forms keep what was typed. */
export function LockDialog() {
  async function enter(session: NewSession) {
    const before = currentSession()
    if (session.user.id !== before?.userId) {
      await endSession(session.accessToken)
      throw new GatewayError(words.entry.otherAccount, 409, null, {})
    }
    // A login opens the account's first environment, and the requests that wait belong to this one.
    const same = session.environment === before.environment
    openSession(same ? session : await chooseEnvironment(before.environment, session.accessToken))
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
