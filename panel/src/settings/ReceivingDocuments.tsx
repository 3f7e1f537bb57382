import { Card } from '../ui/Card'
import css from './Qr.module.css'
import type { ReceivingAccount } from './queries'
import { receivingWords } from './words'

/** Where the owner sends documents and a selfie: the provider's page, best opened on a phone. */
export function ReceivingDocuments({ account }: { account: ReceivingAccount }) {
  const { linkDocumentos, linkDocumentosQr } = account.aprovacao
  if (!linkDocumentos) return null
  return (
    <Card title={receivingWords.sendDocuments}>
      <p>{receivingWords.sendDocumentsLead}</p>
      {linkDocumentosQr && (
        <img className={css.code} src={linkDocumentosQr} alt={receivingWords.qrAlt} width={200} height={200} />
      )}
      <a href={linkDocumentos} target="_blank" rel="noreferrer" className={css.link}>
        {receivingWords.sendDocuments}
      </a>
    </Card>
  )
}
