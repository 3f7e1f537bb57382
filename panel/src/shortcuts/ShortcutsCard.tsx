import { Card } from '../ui/Card'
import { CheckField } from '../ui/CheckField'
import { Facts } from '../ui/Facts'
import { Form } from '../ui/Form'
import { words } from '../words/pt-BR'
import { areShortcutsOn, storeShortcutsOn } from './preference'
import { shortcuts, shortcutWords } from './words'

/** The keys, and the switch of this device. */
export function ShortcutsCard() {
  async function save(values: Record<string, string>) {
    storeShortcutsOn('shortcuts' in values)
  }

  return (
    <Card title={shortcutWords.title}>
      <p>{shortcutWords.lead}</p>
      <Facts facts={shortcuts} />
      <Form submit={words.save} done={shortcutWords.saved} onSubmit={save}>
        <CheckField name="shortcuts" label={shortcutWords.enabled} defaultChecked={areShortcutsOn()} />
      </Form>
    </Card>
  )
}
