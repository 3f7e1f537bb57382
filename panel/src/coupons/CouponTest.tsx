import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { findProducts } from '../products/queries'
import { Card } from '../ui/Card'
import { Form } from '../ui/Form'
import { formatMoney } from '../ui/format'
import { Notice } from '../ui/Notice'
import { PickField } from '../ui/PickField'
import { TypedField } from '../ui/TypedField'
import { moneyOf, textOf, type Values } from '../ui/values'
import { type Coupon, couponQuoteQuery } from './queries'
import { couponWords } from './words'

/** What the coupon makes of an amount now, or why it is refused. */
export function CouponTest({ coupon }: { coupon: Coupon }) {
  const cache = useQueryClient()
  const [result, setResult] = useState<string | null>(null)

  async function test(values: Values) {
    setResult(null)
    const { code } = coupon
    const variables = { code, amount: moneyOf(values.amount), productId: textOf(values.productId) }
    const quote = await cache.fetchQuery({ ...couponQuoteQuery(variables), retry: false })
    const [original = '', discount = '', final = ''] = [
      quote.originalAmount,
      quote.discountAmount,
      quote.finalAmount,
    ].map((amount) => formatMoney(amount ?? 0))
    setResult(couponWords.testResult(original, discount, final))
  }

  return (
    <Card title={couponWords.testTitle}>
      <p>{couponWords.testLead}</p>
      <Form submit={couponWords.test} onSubmit={test} onChange={() => setResult(null)}>
        <TypedField kind="money" name="amount" label={couponWords.testAmount} required />
        {coupon.productIds.length > 0 && (
          <PickField name="productId" label={couponWords.testProduct} of="products" find={findProducts} />
        )}
      </Form>
      {result && <Notice kind="info">{result}</Notice>}
    </Card>
  )
}
