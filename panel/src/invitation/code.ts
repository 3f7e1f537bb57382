import { codeOfHash } from '../session/hash'

let code: string | null = null

/** The code of an invitation's e-mail. It comes behind the address's `#`, and only this page's memory has it. */
export function readInvitationCode(): string | null {
  if (location.hash.length > 1) {
    code = codeOfHash(location.hash)
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return code
}
