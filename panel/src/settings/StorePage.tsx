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
import { companyTypes, settingsWords, storeWords, timeZones } from './words'

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
            options={withStored(COMPANY_TYPES, profile.companyType)}
            defaultValue={profile.companyType ?? ''}
          />
          <TypedField
            kind="phone"
            name="phone"
            label={storeWords.phone}
            defaultValue={profile.phone ?? ''}
            autoComplete="tel-national"
          />
          <SelectField
            name="timeZone"
            label={storeWords.timeZone}
            hint={storeWords.timeZoneHint}
            options={withStored(optionsOf(timeZones), profile.timeZone)}
            defaultValue={profile.timeZone}
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

const COMPANY_TYPES = [{ value: '', label: storeWords.noType }, ...optionsOf(companyTypes)]

type Options = readonly { value: string; label: string }[]

/** The gateway takes more values than the menu has, so a stored one stays a choice. */
function withStored(options: Options, stored: string | null | undefined): Options {
  const known = !stored || options.some((option) => option.value === stored)
  return known ? options : [...options, { value: stored, label: stored }]
}
