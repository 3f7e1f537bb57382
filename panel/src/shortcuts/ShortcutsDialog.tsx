import { useState } from 'react'
import { Facts } from '../ui/Facts'
import { Modal } from '../ui/Modal'
import { useShortcuts } from './useShortcuts'
import { shortcuts, shortcutWords } from './words'

/** The list of keys, which `?` opens. */
export function ShortcutsDialog() {
  const [open, setOpen] = useState(false)
  useShortcuts({ '?': () => setOpen(true) })
  if (!open) return null
  return (
    <Modal title={shortcutWords.title} lead={shortcutWords.lead} onClose={() => setOpen(false)}>
      <Facts facts={shortcuts} />
    </Modal>
  )
}
