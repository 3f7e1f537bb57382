import { Unreachable } from './errors'

/** A root field, which the schema makes nullable so that it fails alone. Without an error it is there. */
export function present<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) throw new Unreachable()
  return value
}
