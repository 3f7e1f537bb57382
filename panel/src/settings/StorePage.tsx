import { useSuspenseQuery } from '@tanstack/react-query'
import { useCan } from '../frame/queries'
import { Card } from '../ui/Card'
import { Form } from '../ui/Form'
import { optionsOf } from '../ui/options'
import { SelectField } from '../ui/SelectField'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import { words } from '../words/pt-BR'
import { AddressFields } from './AddressFields'
import { OwnerOnly } from './OwnerOnly'
import { profileQuery, useUpdateProfile } from './queries'
import { SettingsLayout } from './SettingsLayout'
import { companyTypes, settingsWords, storeWords } from './words'

export function StorePage() {
  const can = useCan()
  return can('production') ? <OwnStore /> : <OwnerOnly title={storeWords.title} />
}

function OwnStore() {
  const { data: profile } = useSuspenseQuery(profileQuery)
  const update = useUpdateProfile()
  return (
    <SettingsLayout title={storeWords.title}>
      <Card title={storeWords.business}>
        <Form submit={words.save} done={settingsWords.saved} onSubmit={update}>
          <TextField
            name="company"
            label={storeWords.company}
            hint={storeWords.companyHint}
            defaultValue={profile.company ?? ''}
            autoComplete="organization"
          />
          <TypedField kind="document" name="cnpj" label={storeWords.cnpj} defaultValue={profile.cnpj ?? ''} />
          <SelectField
            name="companyType"
            label={storeWords.companyType}
            options={companyTypesWith(profile.companyType)}
            defaultValue={profile.companyType ?? ''}
          />
          <TypedField
            kind="phone"
            name="phone"
            label={storeWords.phone}
            defaultValue={profile.phone ?? ''}
            autoComplete="tel-national"
          />
        </Form>
      </Card>
      <Card title={storeWords.address}>
        <Form submit={words.save} done={settingsWords.saved} onSubmit={update}>
          <AddressFields values={profile} />
        </Form>
      </Card>
    </SettingsLayout>
  )
}

/** The gateway takes any text, so a stored one stays a choice. */
function companyTypesWith(stored: string | null | undefined) {
  const options = [{ value: '', label: storeWords.noType }, ...optionsOf(companyTypes)]
  const known = !stored || options.some((option) => option.value === stored)
  return known ? options : [...options, { value: stored, label: stored }]
}
