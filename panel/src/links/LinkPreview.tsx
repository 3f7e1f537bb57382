import { keepPreviousData, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import type { CouponPick } from '../coupons/queries'
import { couponQuoteQuery } from '../coupons/queries'
import { viewerQuery } from '../frame/queries'
import type { ProductPick } from '../products/queries'
import { formatDay, formatMoney } from '../ui/format'
import { Money } from '../ui/Money'
import type { Values } from '../ui/values'
import css from './LinkPreview.module.css'
import { linkWords } from './words'

type Props = { typed: Values; amount: number | null; product: ProductPick | null; coupon: CouponPick | null }

/** A drawing of the payment page, after the texts of the form. The page itself can't be shown in a frame. */
export function LinkPreview({ typed, amount, product, coupon }: Props) {
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  const { data: quote } = useQuery({
    ...couponQuoteQuery({ code: coupon?.label ?? '', amount, productId: product?.value ?? null }),
    enabled: coupon !== null && amount !== null,
    placeholderData: keepPreviousData,
    retry: false,
  })
  const discounted = coupon && quote?.discountAmount ? quote : null
  const name = typed.title || product?.label
  const about = name ? typed.description || product?.description : null
  const total = discounted?.finalAmount ?? amount ?? 0
  return (
    <figure className={css.preview} aria-label={linkWords.preview}>
      <figcaption>
        {linkWords.preview}. {linkWords.previewNote}
      </figcaption>
      <div className={css.page}>
        <p className={css.store}>{viewer.store.name}</p>
        <p className={css.title}>{name || typed.description || linkWords.payWith}</p>
        {about && <p>{about}</p>}
        <dl className={css.prices}>
          {discounted && (
            <>
              <dt>{linkWords.price}</dt>
              <dd>
                <Money value={amount ?? 0} />
              </dd>
              <dt>
                {linkWords.discount} {discounted.code}
              </dt>
              <dd>
                −<Money value={discounted.discountAmount ?? 0} />
              </dd>
            </>
          )}
          <dt>{linkWords.total}</dt>
          <dd>
            <strong>
              <Money value={total} />
            </strong>
          </dd>
        </dl>
        {typed.allowCoupons !== undefined && <p className={css.coupon}>{linkWords.couponAsk}</p>}
        {typed.expiresAt && <p>{linkWords.ends(formatDay(typed.expiresAt))}</p>}
        <p className={css.title}>{linkWords.payer}</p>
        {linkWords.payerFields.map((field) => (
          <p key={field} className={css.field}>
            {field}
          </p>
        ))}
        <p className={css.button}>{linkWords.pay(formatMoney(total))}</p>
      </div>
    </figure>
  )
}
