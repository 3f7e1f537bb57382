import type { ChangeEvent } from 'react'
import button from './Button.module.css'
import css from './FileButton.module.css'

type Props = {
  label: string
  /** What it is for, after the label, for screen readers. */
  purpose: string
  accept: string
  /** Opens the phone's camera instead of its files. */
  camera?: boolean
  onChoose: (file: File) => void
}

/** A button that lets one choose a file. */
export function FileButton({ label, purpose, accept, camera = false, onChoose }: Props) {
  function choose({ currentTarget }: ChangeEvent<HTMLInputElement>) {
    const file = currentTarget.files?.[0]
    if (file) onChoose(file)
    // The same file may be chosen again.
    currentTarget.value = ''
  }

  return (
    <label className={`${button.button} ${button.plain} ${css.file} ${camera ? css.camera : ''}`}>
      {label}
      <span className="visually-hidden"> ({purpose})</span>
      <input
        type="file"
        className="visually-hidden"
        accept={accept}
        capture={camera ? 'environment' : undefined}
        onChange={choose}
      />
    </label>
  )
}
