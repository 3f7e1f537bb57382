import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { request } from '../api/request'
import { ChargesOf } from '../charges/ChargesOf'
import { useCan } from '../frame/queries'
import { LinksOf } from '../links/LinksOf'
import { Card } from '../ui/Card'
import { StopEditingButton } from '../ui/EditButtons'
import { Facts } from '../ui/Facts'
import { Heading } from '../ui/Heading'
import { Money } from '../ui/Money'
import { Notice } from '../ui/Notice'
import { Page } from '../ui/Page'
import { paidFacts } from '../ui/paidFacts'
import { Time } from '../ui/Time'
import { useEditing } from '../ui/useEditing'
import { changedFields } from '../ui/values'
import { words } from '../words/pt-BR'
import { ProductActions } from './ProductActions'
import { ProductForm, type ProductInput } from './ProductForm'
import { ProductStatus } from './ProductStatus'
import { type Product, productQuery, refreshProducts, UPDATE_PRODUCT } from './queries'
import { productWords } from './words'

export function ProductPage() {
  const { id } = useParams({ from: '/frame/produtos/$id' })
  const { data: product } = useSuspenseQuery(productQuery(id))
  const can = useCan()
  const [editing, stop] = useEditing(can('updateProduct'))
  const cache = useQueryClient()
  // Which links no longer sell, for example.
  const [notice, setNotice] = useState<string | null>(null)

  async function update(changes: Partial<ProductInput> & { active?: boolean }) {
    setNotice(null)
    await request(UPDATE_PRODUCT, { input: { id, ...changes } }, { onNotice: setNotice })
    await refreshProducts(cache)
  }

  async function save(input: ProductInput) {
    await update(changedFields(input, product))
    await stop()
  }

  return (
    <Page
      back={
        <Link to="/produtos" search={{}}>
          {productWords.title}
        </Link>
      }
      heading={<Heading key={String(editing)} title={product.name} />}
      status={<ProductStatus active={product.active} />}
      actions={!editing && <ProductActions product={product} onUpdate={update} />}
      notice={notice && <Notice kind="info">{notice}</Notice>}
    >
      {editing ? (
        <ProductForm product={product} submit={words.save} cancel={<StopEditingButton />} onSubmit={save} />
      ) : (
        <>
          <Card title={productWords.details}>
            <Facts facts={factsOf(product)} />
          </Card>
          <LinksOf parent="productId" id={id} />
          <ChargesOf parent="productId" id={id} />
        </>
      )}
    </Page>
  )
}

const factsOf = (product: Product) => [
  { term: productWords.price, value: <Money value={product.price} /> },
  ...paidFacts(product),
  { term: productWords.sku, value: product.sku },
  { term: productWords.description, value: product.description },
  { term: productWords.imageUrl, value: product.imageUrl },
  { term: productWords.reference, value: product.externalReference },
  { term: productWords.created, value: <Time value={product.createdAt} /> },
  { term: productWords.updated, value: <Time value={product.updatedAt} /> },
]
