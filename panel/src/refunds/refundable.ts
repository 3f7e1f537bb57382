import type { RefundStatus } from '../api/gql/graphql'

type Refunded = {
  amount: number
  refundedAmount: number
  refunds: readonly { status: RefundStatus; amount: number }[]
}

/** Whether the refund may still take the money or leave it. */
export const isUnderWay = ({ status }: { status: RefundStatus }): boolean =>
  status === 'pending' || status === 'processing'

/** The reais of a charge that are neither refunded nor on their way back. In centavos, since sums of reais are inexact. */
export function refundableAmount({ amount, refundedAmount, refunds }: Refunded): number {
  const underWay = refunds.filter(isUnderWay).map((refund) => refund.amount)
  const left = [refundedAmount, ...underWay].reduce(
    (rest, each) => rest - Math.round(each * 100),
    Math.round(amount * 100),
  )
  return Math.max(left, 0) / 100
}
