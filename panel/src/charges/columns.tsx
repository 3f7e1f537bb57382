import { Link } from '@tanstack/react-router'
import type { ChargeStatus as Value } from '../api/gql/graphql'
import { Money } from '../ui/Money'
import type { Column } from '../ui/Table'
import { Time } from '../ui/Time'
import { ChargeStatus } from './ChargeStatus'
import { chargeWords } from './words'

/** What a row of charges shows, in every list of them. */
export type ChargeRow = {
  id: string
  status: Value
  underReview: boolean
  amount: number
  refundedAmount: number
  description?: string | null
  customerName?: string | null
  createdAt: string
}

export const chargeColumns: readonly Column<ChargeRow>[] = [
  {
    label: chargeWords.payer,
    cell: (charge) => (
      <Link to="/cobrancas/$id" params={{ id: charge.id }}>
        {charge.customerName ?? charge.description ?? chargeWords.noPayer}
      </Link>
    ),
  },
  { label: chargeWords.amount, align: 'end', cell: (charge) => <Money value={charge.amount} /> },
  { label: chargeWords.status, cell: (charge) => <ChargeStatus {...charge} /> },
  { label: chargeWords.created, cell: (charge) => <Time value={charge.createdAt} /> },
]
