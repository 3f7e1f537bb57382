import { type Customer, type CustomerPick, customerPick } from '../customers/queries'
import { type Product, type ProductPick, productPick } from '../products/queries'
import { formatDocument, formatPhone } from '../ui/format'
import { moneyText, type Values } from '../ui/values'
import type { Charge } from './queries'

/** What the form of a new charge starts with. */
export type Start = { values: Values; customer?: CustomerPick | undefined; product?: ProductPick | undefined }

/** The texts of a charge, to charge again. */
export const startOfCharge = (charge: Charge): Start => ({
  values: {
    amount: moneyText(charge.originalAmount),
    description: charge.description ?? '',
    customerName: charge.customerName ?? '',
    customerEmail: charge.customerEmail ?? '',
    customerCpf: charge.customerCpf ?? '',
    customerPhone: charge.customerPhone ?? '',
    successUrl: charge.successUrl ?? '',
    cancelUrl: charge.cancelUrl ?? '',
  },
  customer: charge.customer ? customerPick(charge.customer) : undefined,
  product: charge.product ? productPick(charge.product) : undefined,
})

/** The payer's fields of a customer. */
export const payerOf = ({ customer }: CustomerPick): Values => ({
  customerName: customer.name,
  customerEmail: customer.email ?? '',
  customerCpf: formatDocument(customer.cpf ?? ''),
  customerPhone: formatPhone(customer.phone ?? ''),
})

export function startOfCustomer(customer: Customer): Start {
  const picked = customerPick(customer)
  return { values: payerOf(picked), customer: picked }
}

export const startOfProduct = (product: Product): Start => ({ values: {}, product: productPick(product) })
