import css from './BarChart.module.css'

const HEIGHT = 160
const STEP = 20

export type Bar = { label: string; value: number; text: string; partial?: boolean }

type Props = {
  title: string
  bars: readonly Bar[]
  /** The label of the table behind the chart, and of its first column. */
  table: string
  column: string
}

/** Bars for the eye, and the same figures in a table. */
export function BarChart({ title, bars, table, column }: Props) {
  const highest = Math.max(...bars.map((bar) => bar.value), 1)
  const [first, last] = [bars[0], bars[bars.length - 1]]
  return (
    <figure className={css.chart}>
      <svg
        role="img"
        aria-label={title}
        viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={css.drawing}
      >
        {bars.map((bar, index) => {
          const height = (bar.value / highest) * (HEIGHT - 4)
          return (
            <rect
              key={bar.label}
              className={bar.partial ? css.partial : css.bar}
              x={index * STEP + 2}
              y={HEIGHT - Math.max(height, 1)}
              width={STEP - 4}
              height={Math.max(height, 1)}
            >
              <title>{`${bar.label}: ${bar.text}`}</title>
            </rect>
          )
        })}
      </svg>
      <figcaption className={css.ends}>
        <span>{first?.label}</span>
        {last !== first && <span>{last?.label}</span>}
      </figcaption>
      <details>
        <summary>{table}</summary>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{column}</th>
              <th scope="col">{title}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map((bar) => (
              <tr key={bar.label}>
                <th scope="row">{bar.label}</th>
                <td>{bar.text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}
