import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import type { CompanyType } from '../api/gql/graphql'
import { graphql } from '../api/graphql'
import { request } from '../api/request'
import { useIdempotencyKey } from '../api/useIdempotencyKey'
import { Form } from '../ui/Form'
import { parseMoney } from '../ui/format'
import { optionsOf } from '../ui/options'
import { SelectField } from '../ui/SelectField'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import { AddressFields } from './AddressFields'
import { profileQuery, receivingQuery } from './queries'
import { companyTypes, receivingWords, storeWords } from './words'

const OPEN = graphql(`
  mutation OpenReceivingAccount($input: OpenReceivingAccountInput!) {
    openReceivingAccount(input: $input) { accountId }
  }
`)
const TYPES = Object.keys(companyTypes) as CompanyType[]

/** The company's data, filled in from the profile. */
export function OpenReceivingForm() {
  const { data: profile } = useSuspenseQuery(profileQuery)
  const cache = useQueryClient()
  const keyOf = useIdempotencyKey()

  async function open({ monthlyRevenue = '', companyType = '', ...texts }: Record<string, string>) {
    const { companyName = '', email = '', cnpj = '', phone = '', site = '', ...address } = texts
    const input = {
      companyName,
      email,
      cnpj,
      phone,
      site: site || null,
      monthlyRevenue: parseMoney(monthlyRevenue) ?? 0,
      companyType: TYPES.find((type) => type === companyType) ?? null,
      address: address.address ?? '',
      addressNumber: address.addressNumber ?? '',
      complement: address.complement || null,
      province: address.province ?? '',
      postalCode: address.postalCode ?? '',
    }
    await request(OPEN, { input }, { idempotencyKey: keyOf(input) })
    await cache.invalidateQueries({ queryKey: receivingQuery.queryKey })
  }

  return (
    <Form submit={receivingWords.open} onSubmit={open}>
      <TextField
        name="companyName"
        label={receivingWords.companyName}
        defaultValue={profile.company ?? ''}
        autoComplete="organization"
        required
      />
      <TypedField kind="document" name="cnpj" label={storeWords.cnpj} defaultValue={profile.cnpj ?? ''} required />
      <SelectField
        name="companyType"
        label={storeWords.companyType}
        options={[{ value: '', label: storeWords.noType }, ...optionsOf(companyTypes)]}
        defaultValue={profile.companyType ?? ''}
      />
      <TextField
        name="email"
        type="email"
        label={receivingWords.email}
        hint={receivingWords.emailHint}
        defaultValue={profile.email}
        autoComplete="email"
        required
      />
      <TypedField
        kind="phone"
        name="phone"
        label={receivingWords.mobile}
        defaultValue={profile.phone ?? ''}
        autoComplete="tel-national"
        required
      />
      <TypedField kind="money" name="monthlyRevenue" label={receivingWords.revenue} required />
      <AddressFields values={profile} required />
      <TextField name="site" type="url" label={receivingWords.site} autoComplete="url" />
    </Form>
  )
}
