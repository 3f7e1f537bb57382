import type { ReactNode } from 'react'
import type { CreateCustomerInput } from '../api/gql/graphql'
import { Form } from '../ui/Form'
import { formatDocument, formatPhone } from '../ui/format'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import { textOf, type Values } from '../ui/values'
import type { Customer } from './queries'
import { customerWords } from './words'

type Props = {
  customer?: Customer
  submit: string
  cancel?: ReactNode
  onSubmit: (input: CreateCustomerInput) => Promise<void>
}

export function CustomerForm({ customer, submit, cancel, onSubmit }: Props) {
  return (
    <Form submit={submit} cancel={cancel} onSubmit={(values) => onSubmit(inputOf(values, customer))}>
      <TextField
        name="name"
        label={customerWords.name}
        defaultValue={customer?.name ?? ''}
        maxLength={120}
        autoComplete="off"
        required
        autoFocus
      />
      <TypedField
        kind="document"
        name="cpf"
        label={customerWords.document}
        defaultValue={customer?.cpf ?? ''}
        autoComplete="off"
      />
      <TextField
        name="email"
        type="email"
        label={customerWords.email}
        defaultValue={customer?.email ?? ''}
        autoComplete="off"
      />
      <TypedField
        kind="phone"
        name="phone"
        label={customerWords.phone}
        defaultValue={customer?.phone ?? ''}
        autoComplete="off"
      />
    </Form>
  )
}

/** Documents and phones are stored without signs: one that is shown as before is as before. */
function inputOf(values: Values, before: Customer | undefined): CreateCustomerInput {
  const { cpf = '', phone = '' } = values
  return {
    name: values.name ?? '',
    email: textOf(values.email),
    cpf: before?.cpf && formatDocument(before.cpf) === cpf ? before.cpf : textOf(cpf),
    phone: before?.phone && formatPhone(before.phone) === phone ? before.phone : textOf(phone),
  }
}
