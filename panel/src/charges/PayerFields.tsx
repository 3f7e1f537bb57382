import { useState } from 'react'
import { type CustomerPick, findCustomers } from '../customers/queries'
import { PickField } from '../ui/PickField'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import type { Values } from '../ui/values'
import { payerOf, type Start } from './start'
import { chargeWords } from './words'

type Props = { start: Start; customer: CustomerPick | null; onPick: (customer: CustomerPick | null) => void }

/** The payer: a customer, whose data fill in the fields, or a new person. */
export function PayerFields({ start, customer, onPick }: Props) {
  const [values, setValues] = useState(start.values)

  function pick(picked: CustomerPick | null) {
    if (picked || customer) setValues(picked ? payerOf(picked) : {})
    onPick(picked)
  }

  return (
    <>
      <PickField
        name="customerId"
        label={chargeWords.customer}
        hint={chargeWords.customerHint}
        of="customers"
        find={findCustomers}
        defaultValue={start.customer}
        onPick={pick}
      />
      <Payer key={customer?.value} values={values} />
    </>
  )
}

function Payer({ values }: { values: Values }) {
  return (
    <>
      <TextField
        name="customerName"
        label={chargeWords.name}
        autoComplete="off"
        defaultValue={values.customerName}
        required
      />
      <TextField
        name="customerEmail"
        type="email"
        label={chargeWords.email}
        autoComplete="off"
        defaultValue={values.customerEmail}
        required
      />
      <TypedField
        kind="document"
        name="customerCpf"
        label={chargeWords.document}
        defaultValue={values.customerCpf ?? ''}
        required
      />
      <TypedField
        kind="phone"
        name="customerPhone"
        label={chargeWords.phone}
        defaultValue={values.customerPhone ?? ''}
      />
    </>
  )
}
