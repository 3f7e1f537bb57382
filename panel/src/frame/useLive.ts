import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ResourceType } from '../api/gql/graphql'
import { type Change, followChanges } from '../api/live'

/** Changes arrive in groups, every half second. */
const GATHER_MILLISECONDS = 50

/** The first words of the query keys that show a type of record. */
const KEYS: Record<ResourceType, readonly string[]> = {
  charge: ['charge', 'charges', 'home', 'balance', 'links', 'subscriptions', 'customers', 'products', 'coupons'],
  customer: ['customers'],
  product: ['products'],
  coupon: ['coupons'],
  payment_link: ['links'],
  subscription: ['subscriptions', 'home'],
  refund: ['charge', 'charges', 'balance', 'home'],
  withdrawal: ['balance', 'home'],
  repayment: ['balance', 'home'],
  webhook_endpoint: ['webhooks', 'home'],
  delivery: ['webhooks', 'events', 'charge'],
  api_key: ['api keys', 'home'],
  member: ['viewer'],
  production: ['production', 'viewer', 'home'],
  receiving_account: ['receivingAccount', 'home'],
  test_clock: ['test clock', 'viewer'],
}

/**
 * Read again what a change concerns, for as long as the page is open. The rows of lists stay: only their newest page is
 * read, which updates them and counts new ones.
 */
export function useLive(environment: string, storeId: string | null): void {
  const cache = useQueryClient()
  useEffect(() => {
    const stop = new AbortController()
    const changed = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const gather = (names: readonly string[]) => {
      if (changed.size === 0) timer = setTimeout(refresh, GATHER_MILLISECONDS)
      for (const name of names) changed.add(name)
    }
    const refresh = () => {
      const names = new Set(changed)
      changed.clear()
      void cache.invalidateQueries({
        predicate: ({ queryKey }) => names.has(String(queryKey[0])) && queryKey.at(-1) !== 'list',
      })
    }
    const onChange = ({ type }: Change) => gather(KEYS[type])
    const onGap = () => gather(Object.values(KEYS).flat())
    void followChanges(onChange, onGap, stop.signal)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [cache, environment, storeId])
}
