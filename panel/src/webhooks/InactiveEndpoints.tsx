import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { formatTime } from '../ui/format'
import { Notice } from '../ui/Notice'
import { webhookWords } from './words'

const CHECK_MILLISECONDS = 60_000

const INACTIVE = graphql(`
  query InactiveEndpoints {
    webhookEndpoints(first: 50, filter: { status: inactive }) { edges { node { id name disabledReason disabledAt } } }
  }
`)

/** A notice of each endpoint that the service has deactivated, except on the endpoint's own page. */
export function InactiveEndpoints() {
  const { id } = useParams({ strict: false })
  const inactive = useQuery({
    queryKey: ['webhooks', 'inactive'],
    queryFn: ({ signal }) => request(INACTIVE, {}, { signal }),
    refetchInterval: CHECK_MILLISECONDS,
  })
  const found = inactive.data?.webhookEndpoints?.edges.map((edge) => edge.node) ?? []
  return found
    .filter((endpoint) => endpoint.disabledReason && endpoint.id !== id)
    .map((endpoint) => (
      <Notice key={endpoint.id} kind="error">
        {webhookWords.offNotice(endpoint.name, formatTime(endpoint.disabledAt ?? ''))}{' '}
        <Link to="/dev/webhooks/$id" params={{ id: endpoint.id }} search={{}}>
          {webhookWords.offLink}
        </Link>
      </Notice>
    ))
}
