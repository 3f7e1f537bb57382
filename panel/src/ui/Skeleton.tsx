import { words } from '../words/pt-BR'
import css from './Skeleton.module.css'

/** In place of content that is being read. It appears after 150 ms. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div className={css.skeleton} role="status">
      <span className="visually-hidden">{words.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className={css.line} />
      ))}
    </div>
  )
}
