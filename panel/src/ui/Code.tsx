import { words } from '../words/pt-BR'
import css from './Code.module.css'
import { CopyButton } from './CopyButton'

type Props = {
  text: string
  /** What is copied, if it isn't what is shown. */
  copied?: string
}

/** A text for programs, with a button that copies it. */
export function Code({ text, copied = text }: Props) {
  return (
    <div className={css.code}>
      <pre>{text}</pre>
      <CopyButton text={copied} label={words.copy} />
    </div>
  )
}
