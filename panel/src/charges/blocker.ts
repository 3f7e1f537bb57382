import { useSuspenseQuery } from '@tanstack/react-query'
import { GatewayError } from '../api/errors'
import { viewerQuery } from '../frame/queries'
import { requirementsQuery } from './queries'
import { blockers } from './words'

/** Why a store can't charge: the code with which the gateway refuses its charges. */
export type Blocker = keyof typeof blockers

/** Why this store can't charge now. */
export function useBlocker(): Blocker | null {
  const { data: viewer } = useSuspenseQuery(viewerQuery)
  const { data: requirements } = useSuspenseQuery(requirementsQuery)
  const refused = viewer.refused.find(({ operation }) => operation === 'issueCharge')
  if (refused) return blockerWith(refused.codigo)
  const account = requirements.receivingAccount
  if (!account || account.aprovacao.aprovada) return null
  return account.status === 'absent' ? 'SUBCONTA_INEXISTENTE' : 'SUBCONTA_NAO_APROVADA'
}

/** The blocker that an error of the gateway reports. */
export function blockerOf(error: unknown): Blocker | null {
  return error instanceof GatewayError ? blockerWith(error.code) : null
}

const blockerWith = (code: string | null): Blocker | null =>
  Object.keys(blockers).find((name): name is Blocker => name === code) ?? null
