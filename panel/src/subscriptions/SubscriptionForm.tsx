import { type ReactNode, useState } from 'react'
import type { CreateSubscriptionContractInput, Interval } from '../api/gql/graphql'
import { payerOf } from '../charges/start'
import { type CustomerPick, customerPick, findCustomers } from '../customers/queries'
import { Disclosure } from '../ui/Disclosure'
import { Form } from '../ui/Form'
import { formatDocument } from '../ui/format'
import { optionsOf } from '../ui/options'
import { PickField } from '../ui/PickField'
import { SelectField } from '../ui/SelectField'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import { dayEnd, dayStart, dayText, moneyOf, moneyText, numberOf, textOf, type Values } from '../ui/values'
import type { Subscription } from './queries'
import { intervals, oneInterval, subscriptionWords } from './words'

const INTERVAL_COUNTS = Array.from({ length: 12 }, (_, index) => ({ value: `${index + 1}`, label: `${index + 1}` }))

/** What the form edits. */
export type SubscriptionInput = Omit<CreateSubscriptionContractInput, 'metadata'>

type Props = {
  subscription?: Subscription
  /** The customer of a new subscription. */
  customer?: CustomerPick | undefined
  submit: string
  cancel?: ReactNode
  onSubmit: (input: SubscriptionInput) => Promise<void>
}

export function SubscriptionForm({ subscription, customer: first, submit, cancel, onSubmit }: Props) {
  return (
    <Form submit={submit} cancel={cancel} onSubmit={(values) => onSubmit(inputOf(values, subscription))}>
      <TypedField
        kind="money"
        name="amount"
        label={subscriptionWords.amount}
        defaultValue={moneyText(subscription?.amount)}
        required
        autoFocus
      />
      <IntervalFields subscription={subscription} />
      <PayerFields subscription={subscription} first={first} />
      <TextField
        name="description"
        label={subscriptionWords.description}
        hint={subscriptionWords.descriptionHint}
        defaultValue={subscription?.description ?? ''}
        maxLength={140}
      />
      <SubscriptionDates subscription={subscription} />
    </Form>
  )
}

type PayerFieldsProps = { subscription: Subscription | undefined; first: CustomerPick | undefined }

/** The payer: a customer, whose data fill in the fields, or another person. */
function PayerFields({ subscription, first }: PayerFieldsProps) {
  const before = subscription?.customer ? customerPick(subscription.customer) : first
  // The last customer whose data filled in the fields. They stay without the customer, too.
  const [source, setSource] = useState(subscription ? null : (first ?? null))
  return (
    <>
      <PickField
        name="customerId"
        label={subscriptionWords.customer}
        hint={subscriptionWords.customerHint}
        of="customers"
        find={findCustomers}
        defaultValue={before}
        onPick={(picked) => picked && setSource(picked)}
      />
      <Payer key={source?.value} values={source ? payerOf(source) : payerBefore(subscription)} />
    </>
  )
}

function Payer({ values }: { values: Values }) {
  return (
    <>
      <TextField
        name="customerName"
        label={subscriptionWords.name}
        defaultValue={values.customerName}
        autoComplete="off"
        required
      />
      <TypedField
        kind="document"
        name="customerCpf"
        label={subscriptionWords.document}
        hint={subscriptionWords.documentHint}
        defaultValue={values.customerCpf ?? ''}
        autoComplete="off"
      />
      <TextField
        name="customerEmail"
        type="email"
        label={subscriptionWords.email}
        defaultValue={values.customerEmail}
        autoComplete="off"
      />
    </>
  )
}

const payerBefore = (subscription: Subscription | undefined): Values => ({
  customerName: subscription?.customerName ?? '',
  customerCpf: subscription?.customerCpf ?? '',
  customerEmail: subscription?.customerEmail ?? '',
})

/** Every how many intervals it charges: the unit is plural after a number above one. */
function IntervalFields({ subscription }: { subscription: Subscription | undefined }) {
  const [count, setCount] = useState(subscription?.intervalCount.toString() ?? '1')
  return (
    <>
      <SelectField
        name="intervalCount"
        label={subscriptionWords.intervalCount}
        options={INTERVAL_COUNTS}
        defaultValue={count}
        onChoose={setCount}
      />
      <SelectField
        name="interval"
        label={subscriptionWords.interval}
        options={optionsOf(count === '1' ? oneInterval : intervals)}
        defaultValue={subscription?.interval ?? 'monthly'}
      />
    </>
  )
}

function SubscriptionDates({ subscription }: { subscription: Subscription | undefined }) {
  return (
    <>
      <TextField
        name="nextBillingAt"
        type="date"
        label={subscriptionWords.next}
        hint={subscription ? undefined : subscriptionWords.nextHint}
        defaultValue={dayText(subscription?.nextBillingAt)}
      />
      <Disclosure label={subscriptionWords.options}>
        <TextField
          name="endDate"
          type="date"
          label={subscriptionWords.endDate}
          hint={subscriptionWords.endDateHint}
          defaultValue={dayText(subscription?.endDate)}
        />
        <TypedField
          kind="integer"
          name="maxCycles"
          label={subscriptionWords.maxCycles}
          hint={subscriptionWords.maxCyclesHint}
          defaultValue={subscription?.maxCycles?.toString() ?? ''}
        />
        <TextField
          name="externalReference"
          label={subscriptionWords.reference}
          defaultValue={subscription?.externalReference ?? ''}
        />
      </Disclosure>
    </>
  )
}

function inputOf(values: Values, before: Subscription | undefined): SubscriptionInput {
  const { customerCpf: document = '' } = values
  const same = before?.customerCpf && formatDocument(before.customerCpf) === document
  return {
    amount: moneyOf(values.amount) ?? 0,
    interval: values.interval as Interval,
    intervalCount: Number(values.intervalCount),
    customerId: textOf(values.customerId),
    customerName: textOf(values.customerName),
    customerCpf: same ? before.customerCpf : textOf(document),
    customerEmail: textOf(values.customerEmail),
    description: textOf(values.description),
    nextBillingAt: dayStart(values.nextBillingAt, before?.nextBillingAt),
    endDate: dayEnd(values.endDate, before?.endDate),
    maxCycles: numberOf(values.maxCycles),
    externalReference: textOf(values.externalReference),
  }
}
