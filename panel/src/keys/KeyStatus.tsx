import { Status } from '../ui/Status'
import type { ApiKey } from './queries'
import { keyWords } from './words'

/** Whether the gateway takes the key now. */
export function KeyStatus({ active, expiresAt }: Pick<ApiKey, 'active' | 'expiresAt'>) {
  if (active) return <Status tone="good">{keyWords.active}</Status>
  return <Status tone="quiet">{isExpired(expiresAt) ? keyWords.expired : keyWords.inactive}</Status>
}

/** An expired key can't be activated. */
export const isExpired = (expiresAt: string | null | undefined): boolean =>
  Boolean(expiresAt && new Date(expiresAt) <= new Date())
