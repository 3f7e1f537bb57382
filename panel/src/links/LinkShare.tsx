import { PrintButton } from '../sheet/PrintButton'
import { Button } from '../ui/Button'
import { Card } from '../ui/Card'
import { CopyButton } from '../ui/CopyButton'
import { formatMoney } from '../ui/format'
import { nameOf, type PaymentLink } from './queries'
import { linkWords } from './words'

/** The ways in which the link reaches the payers. */
export function LinkShare({ link }: { link: PaymentLink }) {
  const { url, description } = link
  const title = nameOf(link) ?? formatMoney(link.product?.price ?? link.amount)
  return (
    <Card title={linkWords.toShare}>
      <CopyButton variant="primary" text={url} label={linkWords.copy} />
      {'share' in navigator && (
        // Closing the phone's dialog rejects the promise, and is no error.
        <Button
          variant="plain"
          onClick={() => navigator.share({ title, text: description ?? '', url }).catch(() => undefined)}
        >
          {linkWords.share}
        </Button>
      )}
      <PrintButton label={linkWords.poster} />
      <a href={url} target="_blank" rel="noreferrer">
        {linkWords.open}
      </a>
    </Card>
  )
}
