import { Link } from '@tanstack/react-router'

type Props = { event: string; resourceId?: string | null }

/** What an event is about: a charge or a withdrawal leads to its page. */
export function ResourceLink({ event, resourceId }: Props) {
  if (!resourceId) return null
  return (
    <Link to={event.startsWith('withdrawal.') ? '/saldo/saques/$id' : '/cobrancas/$id'} params={{ id: resourceId }}>
      {resourceId}
    </Link>
  )
}
