import { type ReactNode, useState } from 'react'
import type { CreatePaymentLinkInput } from '../api/gql/graphql'
import { type CouponPick, couponPick, findCoupons } from '../coupons/queries'
import { findProducts, type ProductPick, productPick } from '../products/queries'
import { CheckField } from '../ui/CheckField'
import { Disclosure } from '../ui/Disclosure'
import { Form } from '../ui/Form'
import { PickField } from '../ui/PickField'
import { SelectField } from '../ui/SelectField'
import { TextAreaField } from '../ui/TextAreaField'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import { dayEnd, dayText, moneyOf, moneyText, numberOf, textOf, type Values } from '../ui/values'
import css from './LinkForm.module.css'
import { LinkPreview } from './LinkPreview'
import type { PaymentLink } from './queries'
import { chargeMinutes, linkWords } from './words'

/** What the form edits. */
export type LinkInput = Omit<CreatePaymentLinkInput, 'active' | 'metadata'>

type Props = {
  link?: PaymentLink
  /** The product of a new link. */
  product?: ProductPick | undefined
  submit: string
  cancel?: ReactNode
  onSubmit: (input: LinkInput) => Promise<void>
}

/** The form of a link, and next to it what the payer will see. */
export function LinkForm({ link, product: first, submit, cancel, onSubmit }: Props) {
  const [product, setProduct] = useState<ProductPick | null>(
    link?.product ? productPick(link.product) : (first ?? null),
  )
  const [coupon, setCoupon] = useState<CouponPick | null>(link?.coupon ? couponPick(link.coupon) : null)
  const [typed, setTyped] = useState<Values>(() => startOf(link))
  // Without an amount among the values, its field was hidden, and shows the link's again.
  const amount = product?.price ?? moneyOf(typed.amount ?? moneyText(link?.amount))
  return (
    <div className={css.columns}>
      <Form
        submit={submit}
        cancel={cancel}
        onChange={setTyped}
        onSubmit={(values) => onSubmit(inputOf(values, product?.price ?? moneyOf(values.amount) ?? 0, link))}
      >
        {!product && (
          <TypedField
            kind="money"
            name="amount"
            label={linkWords.amount}
            defaultValue={moneyText(link?.amount)}
            required
            autoFocus
          />
        )}
        <TextField
          name="title"
          label={linkWords.name}
          hint={linkWords.nameHint}
          defaultValue={link?.title ?? ''}
          maxLength={120}
        />
        <TextAreaField name="description" label={linkWords.description} defaultValue={link?.description ?? ''} />
        <PickField
          name="productId"
          label={linkWords.product}
          hint={linkWords.productHint}
          of="products"
          find={findProducts}
          defaultValue={product}
          onPick={setProduct}
        />
        <PickField
          name="couponId"
          label={linkWords.coupon}
          of="coupons"
          find={findCoupons}
          defaultValue={coupon}
          onPick={setCoupon}
        />
        <CheckField
          name="allowCoupons"
          label={linkWords.allowCoupons}
          defaultChecked={link?.allowCoupons ?? true}
          value="1"
        />
        <LinkOptions link={link} />
      </Form>
      <LinkPreview typed={typed} amount={amount} product={product} coupon={coupon} />
    </div>
  )
}

function LinkOptions({ link }: { link: PaymentLink | undefined }) {
  const minutes = link?.chargeExpiresInMinutes ?? 1440
  const options = { [minutes]: linkWords.minutesOf(minutes), ...chargeMinutes }
  return (
    <Disclosure label={linkWords.options}>
      <TextField
        name="expiresAt"
        type="date"
        label={linkWords.expiresAt}
        hint={linkWords.expiresAtHint}
        defaultValue={dayText(link?.expiresAt)}
      />
      <TypedField
        kind="integer"
        name="maxUses"
        label={linkWords.maxUses}
        hint={linkWords.maxUsesHint}
        defaultValue={link?.maxUses?.toString() ?? ''}
      />
      <SelectField
        name="chargeExpiresInMinutes"
        label={linkWords.minutes}
        hint={linkWords.minutesHint}
        options={Object.entries(options).map(([value, label]) => ({ value, label }))}
        defaultValue={String(minutes)}
      />
      <TextField name="successUrl" type="url" label={linkWords.successUrl} defaultValue={link?.successUrl ?? ''} />
      <TextField name="cancelUrl" type="url" label={linkWords.cancelUrl} defaultValue={link?.cancelUrl ?? ''} />
      <TextField name="externalReference" label={linkWords.reference} defaultValue={link?.externalReference ?? ''} />
    </Disclosure>
  )
}

/** The values with which the form starts, for the preview. */
const startOf = (link: PaymentLink | undefined): Values => ({
  amount: moneyText(link?.amount),
  title: link?.title ?? '',
  description: link?.description ?? '',
  expiresAt: dayText(link?.expiresAt),
  ...((link?.allowCoupons ?? true) && { allowCoupons: '1' }),
})

function inputOf(values: Values, amount: number, before: PaymentLink | undefined): LinkInput {
  return {
    amount,
    title: textOf(values.title),
    description: textOf(values.description),
    productId: textOf(values.productId),
    couponId: textOf(values.couponId),
    allowCoupons: values.allowCoupons !== undefined,
    expiresAt: dayEnd(values.expiresAt, before?.expiresAt),
    maxUses: numberOf(values.maxUses),
    chargeExpiresInMinutes: numberOf(values.chargeExpiresInMinutes) ?? 0,
    successUrl: textOf(values.successUrl),
    cancelUrl: textOf(values.cancelUrl),
    externalReference: textOf(values.externalReference),
  }
}
