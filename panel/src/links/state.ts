import type { UnpayableReason } from '../api/gql/graphql'
import { storeNow } from '../ui/format'
import type { Tone } from '../ui/Status'
import { linkWords } from './words'

type Availability = {
  active: boolean
  unpayableReason?: UnpayableReason | null
  usesCount: number
  maxUses?: number | null
  expiresAt?: string | null
}

/** Whether a link takes payments, and if not, why, in words. The gateway decides; only the words are ours. */
export function linkState(link: Availability, now: Date = storeNow()): { tone: Tone; text: string } {
  if (link.unpayableReason) return { tone: 'bad', text: linkWords.blocked }
  if (link.active) return { tone: 'good', text: linkWords.active }
  if (link.maxUses && link.usesCount >= link.maxUses) return { tone: 'quiet', text: linkWords.usedUp }
  if (link.expiresAt && new Date(link.expiresAt) < now) return { tone: 'quiet', text: linkWords.expired }
  return { tone: 'quiet', text: linkWords.inactive }
}
