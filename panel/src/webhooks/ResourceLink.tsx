import { Link } from '@tanstack/react-router'

type Props = { event: string; resourceId?: string | null }

/** What an event is about: a charge leads to its page. */
export function ResourceLink({ event, resourceId }: Props) {
  if (!resourceId) return null
  if (event.startsWith('withdrawal.')) return <>{resourceId}</>
  return (
    <Link to="/cobrancas/$id" params={{ id: resourceId }}>
      {resourceId}
    </Link>
  )
}
