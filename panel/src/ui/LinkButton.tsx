import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import css from './Button.module.css'

type Props = ComponentProps<'a'> & { variant?: 'primary' | 'plain' }

function Anchor({ variant = 'primary', ...props }: Props) {
  return <a {...props} className={`${css.button} ${css[variant]} ${css.link}`} />
}

/** A link to a page of the panel, drawn as a button. */
export const LinkButton = createLink(Anchor)
