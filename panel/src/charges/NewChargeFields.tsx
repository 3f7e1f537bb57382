import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../api/ask'
import { graphql } from '../api/gql'
import { present } from '../api/present'
import { Disclosure } from '../ui/Disclosure'
import { SelectField } from '../ui/SelectField'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import type { Charge } from './queries'
import { chargeWords } from './words'

const PRODUCTS = graphql(`
  query ProductsToCharge {
    products(first: 100, filter: { status: active }, order: name_asc) { edges { node { id name } } }
  }
`)

/** Amount first, then the payer; the rest is folded away. */
export function NewChargeFields({ copied }: { copied?: Charge | undefined }) {
  const [productId, setProductId] = useState(copied?.product?.id ?? '')
  const products = useQuery({
    queryKey: ['products', 'to charge'],
    queryFn: async ({ signal }) =>
      present((await ask(PRODUCTS, {}, { signal })).products).edges.map((edge) => edge.node),
  })
  return (
    <>
      {!productId && (
        <TypedField
          kind="money"
          name="amount"
          label={chargeWords.amount}
          defaultValue={copied?.originalAmount.toFixed(2) ?? ''}
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
        defaultValue={copied?.description ?? ''}
      />
      <TextField
        name="customerName"
        required={!productId}
        label={chargeWords.name}
        autoComplete="off"
        defaultValue={copied?.customerName ?? ''}
      />
      <TextField
        name="customerEmail"
        required={!productId}
        type="email"
        label={chargeWords.email}
        autoComplete="off"
        defaultValue={copied?.customerEmail ?? ''}
      />
      <TypedField
        kind="document"
        name="customerCpf"
        required={!productId}
        label={chargeWords.document}
        defaultValue={copied?.customerCpf ?? ''}
      />
      <TypedField
        kind="phone"
        name="customerPhone"
        label={chargeWords.phone}
        defaultValue={copied?.customerPhone ?? ''}
      />
      <Disclosure label={chargeWords.options} open={Boolean(productId)}>
        {products.data && products.data.length > 0 && (
          <SelectField
            name="productId"
            label={chargeWords.product}
            options={[
              { value: '', label: chargeWords.noProduct },
              ...products.data.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            defaultValue={productId}
            onChoose={setProductId}
          />
        )}
        {productId && <TextField name="couponCode" label={chargeWords.coupon} autoCapitalize="characters" />}
        <TextField name="expiresAt" type="date" label={chargeWords.expiresAt} hint={chargeWords.expiresAtHint} />
        <TextField name="externalReference" label={chargeWords.reference} />
        <TextField
          name="successUrl"
          type="url"
          label={chargeWords.successUrl}
          defaultValue={copied?.successUrl ?? ''}
        />
        <TextField name="cancelUrl" type="url" label={chargeWords.cancelUrl} defaultValue={copied?.cancelUrl ?? ''} />
      </Disclosure>
    </>
  )
}
