import { TextField } from '../ui/TextField'
import { securityWords } from './words'

/** Not required: who logs in with Google only has no password. */
export function PasswordField() {
  return (
    <TextField
      name="password"
      label={securityWords.password}
      type="password"
      autoComplete="current-password"
      autoFocus
    />
  )
}
