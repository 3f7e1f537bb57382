import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { graphql } from '../api/graphql'
import { requestPartial } from '../api/request'
import { useCan, viewerQuery } from '../frame/queries'
import { Card } from '../ui/Card'
import { LinkButton } from '../ui/LinkButton'
import css from './NextSteps.module.css'
import { nextStepsWords } from './words'

const NEXT_STEPS = graphql(`
  query NextSteps { paymentLinks(first: 0) { totalCount } apiKeys(first: 0) { totalCount } }
`)

/** What a store can do after its first payment. Each way is shown until what it leads to exists. */
export function NextSteps() {
  const can = useCan()
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  const { data: found } = useQuery({
    queryKey: ['home', 'next steps'],
    queryFn: ({ signal }) => requestPartial(NEXT_STEPS, {}, { signal }),
  })
  if (!found) return null
  const { paymentLinks, apiKeys } = found.data
  const link = can('createPaymentLink') && paymentLinks?.totalCount === 0
  const api = can('createApiKey') && apiKeys?.totalCount === 0
  const live = can('requestProduction') && viewer.store.productionStatus === 'sandbox'
  if (!link && !api && !live) return null
  return (
    <Card title={nextStepsWords.title}>
      <ul className={css.steps}>
        {link && (
          <li>
            <LinkButton to="/links/novo" search={{}} variant="plain">
              {nextStepsWords.link}
            </LinkButton>
            <p>{nextStepsWords.linkLead}</p>
          </li>
        )}
        {api && (
          <li>
            <LinkButton to="/dev" search={{}} variant="plain">
              {nextStepsWords.api}
            </LinkButton>
            <p>{nextStepsWords.apiLead}</p>
          </li>
        )}
        {live && (
          <li>
            <LinkButton to="/ajustes/producao" variant="plain">
              {nextStepsWords.live}
            </LinkButton>
            <p>{nextStepsWords.liveLead}</p>
          </li>
        )}
      </ul>
    </Card>
  )
}
