import { Notice } from '../ui/Notice'
import { SettingsLayout } from './SettingsLayout'
import { settingsWords } from './words'

/** In the store of another, in place of what only its owner sees. */
export function OwnerOnly({ title }: { title: string }) {
  return (
    <SettingsLayout title={title}>
      <Notice kind="info">{settingsWords.ownerOnly}</Notice>
    </SettingsLayout>
  )
}
