import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CustomerPick } from '../customers/queries'
import { findProducts } from '../products/queries'
import { CheckField } from '../ui/CheckField'
import { Disclosure } from '../ui/Disclosure'
import { formatMoney } from '../ui/format'
import { PickField } from '../ui/PickField'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import { CouponField } from './CouponField'
import { MetadataFields } from './MetadataFields'
import { PayerFields } from './PayerFields'
import { requirementsQuery } from './queries'
import type { Start } from './start'
import { chargeWords } from './words'

/** Amount first, then the payer; the rest is folded away. */
export function NewChargeFields({ start }: { start: Start }) {
  const { values, product } = start
  const { data: requirements } = useSuspenseQuery(requirementsQuery)
  const [productId, setProductId] = useState(product?.value)
  const [customer, setCustomer] = useState<CustomerPick | null>(start.customer ?? null)
  return (
    <>
      {!productId && (
        <TypedField
          kind="money"
          name="amount"
          label={chargeWords.amount}
          hint={requirements.service ? chargeWords.minimum(formatMoney(requirements.service.minimumAmount)) : undefined}
          defaultValue={values.amount ?? ''}
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
        defaultValue={values.description}
      />
      <PayerFields start={start} customer={customer} onPick={setCustomer} />
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
        {/* The gateway ignores both without a product. */}
        {productId && <CouponField productId={productId} />}
        {productId && !customer && (
          <CheckField
            name="novoCliente"
            label={chargeWords.saveCustomer}
            hint={chargeWords.saveCustomerHint}
            value="1"
          />
        )}
        <TextField name="expiresAt" type="date" label={chargeWords.expiresAt} hint={chargeWords.expiresAtHint} />
        <TextField name="externalReference" label={chargeWords.reference} />
        <TextField name="successUrl" type="url" label={chargeWords.successUrl} defaultValue={values.successUrl} />
        <TextField name="cancelUrl" type="url" label={chargeWords.cancelUrl} defaultValue={values.cancelUrl} />
        <MetadataFields />
      </Disclosure>
    </>
  )
}
