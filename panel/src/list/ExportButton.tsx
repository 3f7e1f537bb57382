import { useState } from 'react'
import type { ExportFormat } from '../api/gql/graphql'
import { Button } from '../ui/Button'
import { ExportDialog, type ExportDialogProps } from './ExportDialog'
import { listWords } from './words'

/** Requests the address of the file, with the filter and the order of the list. */
export type OnExport = (format: ExportFormat) => Promise<{ url: string }>

/** Exports what the list shows. */
export function ExportButton(props: Omit<ExportDialogProps, 'onClose'>) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button variant="plain" onClick={() => setOpen(true)}>
        {listWords.export}
      </Button>
      {open && <ExportDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}
