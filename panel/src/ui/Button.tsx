import { Button as BaseButton } from '@base-ui/react/button'
import type { ComponentProps } from 'react'
import css from './Button.module.css'

type Props = Omit<ComponentProps<typeof BaseButton>, 'className'> & {
  variant?: 'primary' | 'plain' | 'danger'
  /** While a request is under way: stays focusable, and doesn't act. */
  busy?: boolean
}

export function Button({ variant = 'primary', busy = false, disabled, ...props }: Props) {
  return (
    <BaseButton
      {...props}
      className={`${css.button} ${css[variant]}`}
      disabled={busy || disabled}
      focusableWhenDisabled={busy}
      aria-busy={busy || undefined}
    />
  )
}
