import { useSuspenseQuery } from '@tanstack/react-query'
import { graphql } from '../api/graphql'
import { present } from '../api/present'
import { request } from '../api/request'
import { NewPasswordField } from '../session/NewPasswordField'
import { openSession } from '../session/session'
import { ShortcutsCard } from '../shortcuts/ShortcutsCard'
import { Card } from '../ui/Card'
import { CheckField } from '../ui/CheckField'
import { Facts } from '../ui/Facts'
import { Form } from '../ui/Form'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import { words } from '../words/pt-BR'
import { profileQuery, useUpdateProfile } from './queries'
import { SettingsLayout } from './SettingsLayout'
import { accountWords, settingsWords } from './words'

const CHANGE_PASSWORD = graphql(`
  mutation ChangePassword($input: ChangePasswordInput!) {
    changePassword(input: $input) { accessToken environment user { id } }
  }
`)

export function AccountPage() {
  const { data: profile } = useSuspenseQuery(profileQuery)
  const update = useUpdateProfile()

  async function changePassword({ currentPassword = '', newPassword = '' }: Record<string, string>) {
    const answer = await request(CHANGE_PASSWORD, { input: { currentPassword, newPassword } })
    openSession(present(answer.changePassword))
  }

  return (
    <SettingsLayout title={accountWords.title}>
      <Card title={accountWords.person}>
        <Facts facts={[{ term: accountWords.email, value: profile.email }]} />
        <Form submit={words.save} done={settingsWords.saved} onSubmit={update}>
          <TextField name="name" label={accountWords.name} defaultValue={profile.name} autoComplete="name" required />
          <TypedField kind="document" name="cpf" label={accountWords.cpf} defaultValue={profile.cpf ?? ''} />
        </Form>
      </Card>
      <Card title={accountWords.notices}>
        <Form
          submit={words.save}
          done={settingsWords.saved}
          onSubmit={(values) =>
            update({ notifyPaymentEmail: 'notifyPaymentEmail' in values, receiptEmail: 'receiptEmail' in values })
          }
        >
          <CheckField
            name="notifyPaymentEmail"
            label={accountWords.notify}
            defaultChecked={profile.notifyPaymentEmail}
          />
          <CheckField name="receiptEmail" label={accountWords.receipt} defaultChecked={profile.receiptEmail} />
        </Form>
      </Card>
      <Card title={accountWords.password}>
        <Form submit={accountWords.change} done={accountWords.changed} onSubmit={changePassword}>
          <TextField
            name="currentPassword"
            label={accountWords.currentPassword}
            type="password"
            autoComplete="current-password"
            required
          />
          <NewPasswordField name="newPassword" label={accountWords.newPassword} />
        </Form>
      </Card>
      <ShortcutsCard />
    </SettingsLayout>
  )
}
