import { useState } from 'react'
import { findProducts } from '../products/queries'
import { Disclosure } from '../ui/Disclosure'
import { PickField } from '../ui/PickField'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import type { Start } from './start'
import { chargeWords } from './words'

/** Amount first, then the payer; the rest is folded away. */
export function NewChargeFields({ start: { values, product } }: { start: Start }) {
  const [productId, setProductId] = useState(product?.value)
  const { amount, description, customerName, customerEmail, customerCpf, customerPhone, customerId } = values
  return (
    <>
      {customerId && <input type="hidden" name="customerId" value={customerId} />}
      {!productId && (
        <TypedField
          kind="money"
          name="amount"
          label={chargeWords.amount}
          defaultValue={amount ?? ''}
          autoFocus
          required
        />
      )}
      <TextField
        name="description"
        label={chargeWords.description}
        hint={chargeWords.descriptionHint}
        maxLength={140}
        required={!productId}
        defaultValue={description}
      />
      <TextField
        name="customerName"
        required={!productId}
        label={chargeWords.name}
        autoComplete="off"
        defaultValue={customerName}
      />
      <TextField
        name="customerEmail"
        required={!productId}
        type="email"
        label={chargeWords.email}
        autoComplete="off"
        defaultValue={customerEmail}
      />
      <TypedField
        kind="document"
        name="customerCpf"
        required={!productId}
        label={chargeWords.document}
        defaultValue={customerCpf ?? ''}
      />
      <TypedField kind="phone" name="customerPhone" label={chargeWords.phone} defaultValue={customerPhone ?? ''} />
      <Disclosure label={chargeWords.options} open={product !== undefined}>
        <PickField
          name="productId"
          label={chargeWords.product}
          hint={chargeWords.productHint}
          of="products"
          find={findProducts}
          defaultValue={product}
          onPick={(picked) => setProductId(picked?.value)}
        />
        {productId && <TextField name="couponCode" label={chargeWords.coupon} autoCapitalize="characters" />}
        <TextField name="expiresAt" type="date" label={chargeWords.expiresAt} hint={chargeWords.expiresAtHint} />
        <TextField name="externalReference" label={chargeWords.reference} />
        <TextField name="successUrl" type="url" label={chargeWords.successUrl} defaultValue={values.successUrl} />
        <TextField name="cancelUrl" type="url" label={chargeWords.cancelUrl} defaultValue={values.cancelUrl} />
      </Disclosure>
    </>
  )
}
