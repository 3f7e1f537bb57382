import { useSearch } from '@tanstack/react-router'
import { useNavigateFromHere } from './useNavigateFromHere'

/** The search parameter that turns the page of one thing into its form, so that the browser's way back leaves it. */
export const EDITING = { editar: '1' } as const

/** Whether the page is edited, by a caller who may, and a function that ends it. */
export function useEditing(allowed: boolean): [boolean, () => Promise<void>] {
  const { editar }: { editar?: string } = useSearch({ strict: false })
  const navigate = useNavigateFromHere()
  return [allowed && editar !== undefined, () => navigate({ to: '.', search: {}, replace: true })]
}
