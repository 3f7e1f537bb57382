import { words } from '../words/pt-BR'
import css from './Code.module.css'
import { CopyButton } from './CopyButton'

/** A text for programs, with a button that copies it. */
export function Code({ text }: { text: string }) {
  return (
    <div className={css.code}>
      <pre>{text}</pre>
      <CopyButton text={text} label={words.copy} />
    </div>
  )
}
