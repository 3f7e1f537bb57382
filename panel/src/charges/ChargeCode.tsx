import { Button } from '../ui/Button'
import { Card } from '../ui/Card'
import { CopyButton } from '../ui/CopyButton'
import { formatMoney } from '../ui/format'
import css from './ChargeCode.module.css'
import type { Charge } from './queries'
import { chargeWords } from './words'

/** What the payer needs: the QR code, the text to copy, and the page to share. */
export function ChargeCode({ charge }: { charge: Charge }) {
  const shared = { title: formatMoney(charge.amount), text: charge.description ?? '', url: charge.checkoutUrl }
  return (
    <Card title={chargeWords.pay}>
      {charge.qrCodeUrl && (
        <img className={css.code} src={charge.qrCodeUrl} alt={chargeWords.qrAlt} width={280} height={280} />
      )}
      <CopyButton variant="primary" text={charge.pixCode} label={chargeWords.copyCode} />
      <CopyButton text={charge.checkoutUrl} label={chargeWords.copyLink} />
      {'share' in navigator && (
        // Closing the phone's dialog rejects the promise, and is no error.
        <Button variant="plain" onClick={() => navigator.share(shared).catch(() => undefined)}>
          {chargeWords.share}
        </Button>
      )}
      <a href={charge.checkoutUrl} target="_blank" rel="noreferrer">
        {chargeWords.openCheckout}
      </a>
    </Card>
  )
}
