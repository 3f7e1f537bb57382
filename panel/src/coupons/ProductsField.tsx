import { useQueries } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { findProducts, productQuery } from '../products/queries'
import { Button } from '../ui/Button'
import { PickField } from '../ui/PickField'
import css from './ProductsField.module.css'
import { couponWords } from './words'

/** The products of a coupon. The form sends their ids with commas between them. */
export function ProductsField({ ids: first }: { ids: readonly string[] }) {
  const [ids, setIds] = useState(first)
  const holder = useRef<HTMLDivElement>(null)
  const focused = useRef(ids.length)
  // The field is a new one, and the button that was pressed is gone.
  useEffect(() => {
    if (focused.current === ids.length) return
    focused.current = ids.length
    holder.current?.querySelector<HTMLInputElement>('[role=combobox]')?.focus()
  }, [ids.length])
  const products = useQueries({ queries: ids.map((id) => productQuery(id)) })
  return (
    <div ref={holder} className={css.products}>
      <input type="hidden" name="productIds" value={ids.join(',')} />
      {/* The key empties the field after each product. */}
      <PickField
        key={ids.length}
        name="product"
        label={ids.length > 0 ? couponWords.addProduct : couponWords.products}
        hint={couponWords.productsHint}
        of="products"
        find={findProducts}
        onPick={(product) => product && !ids.includes(product.value) && setIds([...ids, product.value])}
      />
      {ids.length > 0 && (
        <ul className={css.list} aria-label={couponWords.products}>
          {ids.map((id, at) => {
            const name = products[at]?.data?.name ?? id
            return (
              <li key={id}>
                <span>{name}</span>
                <Button variant="plain" onClick={() => setIds(ids.filter((other) => other !== id))}>
                  {couponWords.removeProduct(name)}
                </Button>
              </li>
            )
          })}
        </ul>
      )}
    </div>
  )
}
