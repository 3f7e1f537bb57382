import { Button } from '../ui/Button'
import { sheetWords } from './words'

/** Prints the page: without menus and buttons, black on white. */
export function PrintButton({ label = sheetWords.print }: { label?: string }) {
  return (
    <Button variant="plain" onClick={() => window.print()}>
      {label}
    </Button>
  )
}
