import { useQuery } from '@tanstack/react-query'
import { PickField, type PickSource } from '../ui/PickField'
import { Skeleton } from '../ui/Skeleton'
import { pickedQuery } from './pickedQuery'

type Props = { name: string; label: string; source: PickSource; value: string }

/** A filter by a record, which is searched by its name. */
export function ParentField({ name, label, source, value }: Props) {
  const { data, isPending } = useQuery(pickedQuery(source, value))
  if (value && isPending) return <Skeleton lines={1} />
  // A record that was deleted has no name any more.
  const picked = data ?? { value, label: value }
  return <PickField name={name} label={label} of={source.of} find={source.find} defaultValue={value ? picked : null} />
}
