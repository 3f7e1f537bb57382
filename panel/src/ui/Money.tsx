import { formatMoney } from './format'
import css from './Money.module.css'

/** An amount in reais, on one line. */
export function Money({ value, strike = false }: { value: number; strike?: boolean }) {
  return strike ? (
    <s className={css.money}>{formatMoney(value)}</s>
  ) : (
    <span className={css.money}>{formatMoney(value)}</span>
  )
}
