import { useRouter } from '@tanstack/react-router'

/** Leaves the page of a record for its list, before a change of store or environment, where the record is unknown. */
export function useLeaveRecord(): () => Promise<void> {
  const router = useRouter()
  return async () => {
    const path = router.state.matches.at(-1)?.fullPath ?? '/'
    const [list] = path.split('/$')
    if (list !== path) await router.navigate({ to: list || '/', search: {} })
  }
}
