import { useChooseEnvironment } from '../session/chooseEnvironment'
import { useSession } from '../session/useSession'
import { ActionButton } from '../ui/ActionButton'
import { Card } from '../ui/Card'
import { LinkButton } from '../ui/LinkButton'
import { productionWords } from './words'

/** What comes after the approval. */
export function ApprovedCard() {
  const session = useSession()
  const choose = useChooseEnvironment()
  const live = session?.environment === 'live'
  return (
    <Card title={productionWords.approved}>
      {live ? (
        <>
          <p>{productionWords.isLive}</p>
          <div>
            <LinkButton to="/ajustes/recebimento">{productionWords.openAccount}</LinkButton>
          </div>
        </>
      ) : (
        <div>
          <ActionButton variant="primary" label={productionWords.goLive} onAct={() => choose('live')} />
        </div>
      )}
    </Card>
  )
}
