import { Status } from '../ui/Status'
import { linkState } from './state'

export function LinkStatus({ link }: { link: Parameters<typeof linkState>[0] }) {
  const { tone, text } = linkState(link)
  return <Status tone={tone}>{text}</Status>
}
