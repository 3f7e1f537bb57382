import { useState } from 'react'
import { TextField } from '../ui/TextField'
import { passwordStrength } from './passwordStrength'
import { strengths } from './registerWords'

type Props = { name: string; label: string }

/** A password to choose, with a hint about its strength. */
export function NewPasswordField({ name, label }: Props) {
  const [password, setPassword] = useState('')
  return (
    <TextField
      name={name}
      label={label}
      hint={strengths[passwordStrength(password)]}
      type="password"
      autoComplete="new-password"
      onChange={(event) => setPassword(event.currentTarget.value)}
      required
    />
  )
}
