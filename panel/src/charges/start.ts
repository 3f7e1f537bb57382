import type { Customer } from '../customers/queries'
import { type Product, type ProductPick, productPick } from '../products/queries'
import { formatDocument, formatPhone } from '../ui/format'
import { moneyText, type Values } from '../ui/values'
import type { Charge } from './queries'

/** What the form of a new charge starts with. */
export type Start = { values: Values; product?: ProductPick | undefined }

/** The texts of an ended charge, to charge again. */
export const startOfCharge = (charge: Charge): Start => ({
  values: {
    amount: moneyText(charge.originalAmount),
    description: charge.description ?? '',
    customerName: charge.customerName ?? '',
    customerEmail: charge.customerEmail ?? '',
    customerCpf: charge.customerCpf ?? '',
    customerPhone: charge.customerPhone ?? '',
    customerId: charge.customer?.id ?? '',
    successUrl: charge.successUrl ?? '',
    cancelUrl: charge.cancelUrl ?? '',
  },
  product: charge.product ? productPick(charge.product) : undefined,
})

export const startOfCustomer = (customer: Customer): Start => ({
  values: {
    customerId: customer.id,
    customerName: customer.name,
    customerEmail: customer.email ?? '',
    customerCpf: formatDocument(customer.cpf ?? ''),
    customerPhone: formatPhone(customer.phone ?? ''),
  },
})

export const startOfProduct = (product: Product): Start => ({ values: {}, product: productPick(product) })
