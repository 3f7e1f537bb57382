import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import css from './Button.module.css'

type Props = ComponentProps<'a'> & { look?: 'primary' | 'plain' }

function Anchor({ look = 'primary', ...props }: Props) {
  return <a {...props} className={`${css.button} ${css[look]} ${css.link}`} />
}

/** A link to a page of the panel, drawn as a button. */
export const LinkButton = createLink(Anchor)
