import { useState } from 'react'
import { documentTypes } from '../settings/words'
import { Button } from '../ui/Button'
import { Card } from '../ui/Card'
import { formatSize } from '../ui/format'
import { type Column, Table } from '../ui/Table'
import { Time } from '../ui/Time'
import { DocumentDialog } from './DocumentDialog'
import type { Merchant, MerchantDocument } from './queries'
import { merchantWords } from './words'

export function DocumentsCard({ merchant }: { merchant: Merchant }) {
  const [open, setOpen] = useState<MerchantDocument | null>(null)
  const columns: readonly Column<MerchantDocument>[] = [
    { label: merchantWords.item, cell: (document) => documentTypes[document.type] },
    {
      label: merchantWords.look,
      cell: (document) => (
        <Button variant="plain" onClick={() => setOpen(document)}>
          {merchantWords.look}
          <span className="visually-hidden"> {documentTypes[document.type]}</span>
        </Button>
      ),
    },
    { label: merchantWords.file, cell: (document) => `${document.fileName} · ${formatSize(document.size)}` },
    { label: merchantWords.sent, cell: (document) => <Time value={document.uploadedAt} /> },
  ]
  return (
    <Card title={merchantWords.documents}>
      {merchant.documents.length === 0 ? (
        <p>{merchantWords.noDocuments}</p>
      ) : (
        <Table caption={merchantWords.documents} columns={columns} rows={merchant.documents} />
      )}
      {open && <DocumentDialog merchantId={merchant.id} document={open} onClose={() => setOpen(null)} />}
    </Card>
  )
}
