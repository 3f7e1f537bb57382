import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import { storeWords } from './words'

type Address = {
  address?: string | null
  addressNumber?: string | null
  complement?: string | null
  province?: string | null
  postalCode?: string | null
}

export function AddressFields({ values, required = false }: { values: Address; required?: boolean }) {
  return (
    <>
      <TypedField
        kind="postalCode"
        name="postalCode"
        label={storeWords.postalCode}
        defaultValue={values.postalCode ?? ''}
        autoComplete="postal-code"
        required={required}
      />
      <TextField
        name="address"
        label={storeWords.street}
        defaultValue={values.address ?? ''}
        autoComplete="address-line1"
        required={required}
      />
      <TextField
        name="addressNumber"
        label={storeWords.number}
        defaultValue={values.addressNumber ?? ''}
        required={required}
      />
      <TextField
        name="complement"
        label={storeWords.complement}
        defaultValue={values.complement ?? ''}
        autoComplete="address-line2"
      />
      <TextField
        name="province"
        label={storeWords.province}
        defaultValue={values.province ?? ''}
        autoComplete="address-level3"
        required={required}
      />
    </>
  )
}
