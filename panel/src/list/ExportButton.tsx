import { useState } from 'react'
import { Button } from '../ui/Button'
import { ExportDialog, type ExportDialogProps } from './ExportDialog'
import { listWords } from './words'

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
