import { Link } from '@tanstack/react-router'
import type { ChargeStatus as StatusValue } from '../api/gql/graphql'
import { Money } from '../ui/Money'
import type { Column } from '../ui/Table'
import { Time } from '../ui/Time'
import { ChargeStatus } from './ChargeStatus'
import { chargeWords } from './words'

type Row = {
  id: string
  status: StatusValue
  underReview: boolean
  amount: number
  description?: string | null
  customerName?: string | null
  createdAt: string
}

/** The columns of every list of charges. */
export const CHARGE_COLUMNS: readonly Column<Row>[] = [
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
