import { useSuspenseQuery } from '@tanstack/react-query'
import { viewerQuery } from '../frame/queries'
import { Money } from '../ui/Money'
import css from './LinkPoster.module.css'
import { nameOf, type PaymentLink } from './queries'
import { linkWords } from './words'

/** The one thing that is printed of a link's page. */
export function LinkPoster({ link }: { link: PaymentLink }) {
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  return (
    <section className={css.poster} aria-hidden="true">
      <p>{viewer.store.name}</p>
      <p className={css.title}>{nameOf(link) ?? linkWords.payWith}</p>
      {link.description && <p>{link.description}</p>}
      <p className={css.title}>
        <Money value={link.product?.price ?? link.amount} />
      </p>
      <img className={css.code} src={link.qrCodeUrl} alt="" width={280} height={280} />
      <p>{linkWords.posterLead}</p>
      <p className={css.address}>{link.url}</p>
    </section>
  )
}
