import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GatewayError } from '../api/errors'
import { couponQuoteQuery } from '../coupons/queries'
import { formatMoney } from '../ui/format'
import { messageOf } from '../ui/messageOf'
import { Notice } from '../ui/Notice'
import { TextField } from '../ui/TextField'
import { useDebounced } from '../ui/useDebounced'
import { chargeWords } from './words'

/** The coupon of a charge for a product, and what it leaves to pay, or why the gateway refuses it. */
export function CouponField({ productId }: { productId: string }) {
  const [typed, setTyped] = useState('')
  const code = typed.trim()
  const debounced = useDebounced(code)
  const quote = useQuery({
    ...couponQuoteQuery({ code: debounced, amount: null, productId }),
    enabled: code !== '' && debounced === code,
  })
  const refusal = debounced === code && quote.error instanceof GatewayError ? messageOf(quote.error) : undefined
  const { discountAmount, finalAmount } = (debounced === code && quote.data) || {}
  return (
    <>
      <TextField
        name="couponCode"
        label={chargeWords.coupon}
        autoCapitalize="characters"
        autoComplete="off"
        problem={refusal}
        refused={refusal !== undefined}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {typeof discountAmount === 'number' && (
        <Notice kind="info">
          {chargeWords.couponQuote(formatMoney(discountAmount), formatMoney(finalAmount ?? 0))}
        </Notice>
      )}
    </>
  )
}
