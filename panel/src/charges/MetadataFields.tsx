import { useState } from 'react'
import { Button } from '../ui/Button'
import { TextField } from '../ui/TextField'
import type { Values } from '../ui/values'
import css from './MetadataFields.module.css'
import { chargeWords } from './words'

const MAX_ROWS = 20

/** Texts of the store's own, each with a key. */
export function MetadataFields() {
  const [rows, setRows] = useState([1])
  return (
    <fieldset className={css.rows}>
      <legend className={css.legend}>{chargeWords.metadata}</legend>
      <p className={css.hint}>{chargeWords.metadataHint}</p>
      {rows.map((row) => (
        <div key={row} className={css.row}>
          <TextField name={`metadataKey${row}`} label={chargeWords.metadataKey(row)} maxLength={40} />
          <TextField name={`metadataText${row}`} label={chargeWords.metadataText(row)} maxLength={500} />
        </div>
      ))}
      {rows.length < MAX_ROWS && (
        <div>
          <Button variant="plain" onClick={() => setRows([...rows, rows.length + 1])}>
            {chargeWords.addMetadata}
          </Button>
        </div>
      )}
    </fieldset>
  )
}

/** The rows of the fields that are filled. */
export function metadataOf(values: Values): Record<string, string> | null {
  const rows = Object.entries(values).flatMap(([name, text]) => {
    const [, row] = /^metadataKey(\d+)$/.exec(name) ?? []
    return row ? [[text.trim(), values[`metadataText${row}`] ?? ''] as const] : []
  })
  const filled = rows.filter(([key, text]) => key !== '' || text !== '')
  return filled.length > 0 ? Object.fromEntries(filled) : null
}
