import { type ReactNode, useState } from 'react'
import type { CreateCouponInput, DiscountType } from '../api/gql/graphql'
import { Disclosure } from '../ui/Disclosure'
import { Form } from '../ui/Form'
import { optionsOf } from '../ui/options'
import { SelectField } from '../ui/SelectField'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import { dayEnd, dayStart, dayText, moneyOf, moneyText, numberOf, textOf, type Values } from '../ui/values'
import { ProductsField } from './ProductsField'
import type { Coupon } from './queries'
import { couponWords, discountTypes } from './words'

/** What the form edits. */
export type CouponInput = Omit<CreateCouponInput, 'isActive'>

type Props = {
  coupon?: Coupon
  submit: string
  cancel?: ReactNode
  onSubmit: (input: CouponInput) => Promise<void>
}

export function CouponForm({ coupon, submit, cancel, onSubmit }: Props) {
  const [type, setType] = useState<DiscountType>(coupon?.discountType ?? 'percentage')
  return (
    <Form submit={submit} cancel={cancel} onSubmit={(values) => onSubmit(inputOf(values, type, coupon))}>
      <TextField
        name="code"
        label={couponWords.code}
        hint={couponWords.codeHint}
        defaultValue={coupon?.code ?? ''}
        autoCapitalize="characters"
        autoComplete="off"
        required
        autoFocus
      />
      <SelectField
        name="discountType"
        label={couponWords.type}
        options={optionsOf(discountTypes)}
        defaultValue={type}
        onChoose={(value) => setType(value === 'fixed' ? 'fixed' : 'percentage')}
      />
      {type === 'fixed' ? (
        <TypedField
          key="money"
          kind="money"
          name="discountValue"
          label={couponWords.fixed}
          defaultValue={coupon?.discountType === 'fixed' ? moneyText(coupon.discountValue) : ''}
          required
        />
      ) : (
        <TypedField
          key="decimal"
          kind="decimal"
          name="discountValue"
          label={couponWords.percent}
          defaultValue={coupon?.discountType === 'percentage' ? String(coupon.discountValue) : ''}
          required
        />
      )}
      <TextField
        name="expiresAt"
        type="date"
        label={couponWords.expiresAt}
        hint={couponWords.expiresAtHint}
        defaultValue={dayText(coupon?.expiresAt)}
      />
      <CouponLimits coupon={coupon} />
    </Form>
  )
}

function CouponLimits({ coupon }: { coupon: Coupon | undefined }) {
  return (
    <Disclosure label={couponWords.options}>
      <TextField name="startsAt" type="date" label={couponWords.startsAt} defaultValue={dayText(coupon?.startsAt)} />
      <TypedField
        kind="integer"
        name="maxUses"
        label={couponWords.maxUses}
        hint={couponWords.noLimit}
        defaultValue={coupon?.maxUses?.toString() ?? ''}
      />
      <TypedField
        kind="integer"
        name="maxUsesPerCustomer"
        label={couponWords.maxUsesPerCustomer}
        hint={couponWords.maxUsesPerCustomerHint}
        defaultValue={coupon?.maxUsesPerCustomer?.toString() ?? ''}
      />
      <TypedField
        kind="money"
        name="minAmount"
        label={couponWords.minAmount}
        defaultValue={moneyText(coupon?.minAmount)}
      />
      <ProductsField ids={coupon?.productIds ?? []} />
      <TextField
        name="description"
        label={couponWords.description}
        hint={couponWords.descriptionHint}
        defaultValue={coupon?.description ?? ''}
      />
    </Disclosure>
  )
}

function inputOf(values: Values, type: DiscountType, before: Coupon | undefined): CouponInput {
  const value = type === 'fixed' ? moneyOf(values.discountValue) : numberOf(values.discountValue)
  return {
    code: values.code ?? '',
    discountType: type,
    discountValue: value ?? 0,
    startsAt: dayStart(values.startsAt, before?.startsAt),
    expiresAt: dayEnd(values.expiresAt, before?.expiresAt),
    maxUses: numberOf(values.maxUses),
    maxUsesPerCustomer: numberOf(values.maxUsesPerCustomer),
    minAmount: moneyOf(values.minAmount),
    productIds: values.productIds ? values.productIds.split(',') : [],
    description: textOf(values.description),
  }
}
