import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { GatewayError } from '../api/errors'
import { useChooseEnvironment } from '../session/chooseEnvironment'
import { useSession } from '../session/useSession'
import { Choice } from '../ui/Choice'
import { messageOf } from '../ui/messageOf'
import { Notice } from '../ui/Notice'
import { environments, words } from '../words/pt-BR'

const OPTIONS = (['test', 'live'] as const).map((value) => ({ value, label: environments[value] }))
const NOT_APPROVED = 'PRODUCAO_NAO_LIBERADA'

/** Test or live. The gateway refuses live to a store that isn't approved, and says why. */
export function EnvironmentSwitch({ onLeave }: { onLeave?: (() => void) | undefined }) {
  const session = useSession()
  const choose = useMutation({ mutationFn: useChooseEnvironment() })
  if (!session) return null
  return (
    <>
      <Choice
        label={words.frame.environment}
        value={session.environment}
        options={OPTIONS}
        onChange={(environment) => environment !== session.environment && choose.mutate(environment)}
      />
      {choose.error && <Notice kind="error">{messageOf(choose.error)}</Notice>}
      {choose.error instanceof GatewayError && choose.error.code === NOT_APPROVED && (
        <Link to="/ajustes/producao" onClick={onLeave}>
          {words.frame.requestLive}
        </Link>
      )}
    </>
  )
}
