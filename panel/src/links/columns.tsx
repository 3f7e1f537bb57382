import { Link } from '@tanstack/react-router'
import type { UnpayableReason } from '../api/gql/graphql'
import { Money } from '../ui/Money'
import type { Column } from '../ui/Table'
import { formatUses } from '../ui/uses'
import { LinkStatus } from './LinkStatus'
import { nameOf } from './queries'
import { linkWords } from './words'

type Row = {
  id: string
  title?: string | null
  amount: number
  active: boolean
  expiresAt?: string | null
  maxUses?: number | null
  usesCount: number
  unpayableReason?: UnpayableReason | null
  product?: { name: string; price: number } | null
}

/** The columns of every list of links. */
export const linkColumns: readonly Column<Row>[] = [
  {
    label: linkWords.name,
    cell: (link) => (
      <Link to="/links/$id" params={{ id: link.id }}>
        {nameOf(link) ?? linkWords.noName}
      </Link>
    ),
  },
  { label: linkWords.amount, align: 'end', cell: (link) => <Money value={link.product?.price ?? link.amount} /> },
  { label: linkWords.status, cell: (link) => <LinkStatus link={link} /> },
  {
    label: linkWords.uses,
    align: 'end',
    cell: (link) => (
      <>
        <span className="phone-only">{linkWords.uses}: </span>
        {formatUses(link.usesCount, link.maxUses)}
      </>
    ),
  },
]
