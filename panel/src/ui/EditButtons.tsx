import { words } from '../words/pt-BR'
import { LinkButton } from './LinkButton'
import { EDITING } from './useEditing'

/** Opens the form of a page. */
export const EditButton = () => (
  <LinkButton variant="plain" to="." search={EDITING}>
    {words.edit}
  </LinkButton>
)

/** Leaves the form of a page without saving. */
export const StopEditingButton = () => (
  <LinkButton variant="plain" to="." search={{}} replace>
    {words.cancel}
  </LinkButton>
)
