import type { ReactNode } from 'react'
import type { CreateProductInput } from '../api/gql/graphql'
import { Disclosure } from '../ui/Disclosure'
import { Form } from '../ui/Form'
import { TextAreaField } from '../ui/TextAreaField'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import { moneyOf, moneyText, textOf, type Values } from '../ui/values'
import type { Product } from './queries'
import { productWords } from './words'

/** What the form edits. */
export type ProductInput = Pick<
  CreateProductInput,
  'name' | 'price' | 'description' | 'sku' | 'imageUrl' | 'externalReference'
>

type Props = {
  product?: Product
  submit: string
  cancel?: ReactNode
  onSubmit: (input: ProductInput) => Promise<void>
}

export function ProductForm({ product, submit, cancel, onSubmit }: Props) {
  return (
    <Form submit={submit} cancel={cancel} onSubmit={(values) => onSubmit(inputOf(values))}>
      <TextField
        name="name"
        label={productWords.name}
        defaultValue={product?.name}
        maxLength={120}
        required
        autoFocus
      />
      <TypedField
        kind="money"
        name="price"
        label={productWords.price}
        defaultValue={moneyText(product?.price)}
        required
      />
      <TextAreaField
        name="description"
        label={productWords.description}
        hint={productWords.descriptionHint}
        defaultValue={product?.description ?? ''}
      />
      <TextField
        name="sku"
        label={productWords.sku}
        hint={productWords.skuHint}
        defaultValue={product?.sku ?? ''}
        maxLength={64}
      />
      <Disclosure label={productWords.options}>
        <TextField
          name="imageUrl"
          type="url"
          label={productWords.imageUrl}
          hint={productWords.imageUrlHint}
          defaultValue={product?.imageUrl ?? ''}
        />
        <TextField
          name="externalReference"
          label={productWords.reference}
          defaultValue={product?.externalReference ?? ''}
        />
      </Disclosure>
    </Form>
  )
}

function inputOf(values: Values): ProductInput {
  return {
    name: values.name ?? '',
    price: moneyOf(values.price) ?? 0,
    description: textOf(values.description),
    sku: textOf(values.sku),
    imageUrl: textOf(values.imageUrl),
    externalReference: textOf(values.externalReference),
  }
}
