import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCan } from '../frame/queries'
import { CheckField } from '../ui/CheckField'
import { optionsOf } from '../ui/options'
import { SelectField } from '../ui/SelectField'
import { Skeleton } from '../ui/Skeleton'
import { TextField } from '../ui/TextField'
import { DeletePixKeyButton } from './DeletePixKeyButton'
import { formatPixKey } from './formatPixKey'
import { pixKeyTypeOf } from './pixKeyTypeOf'
import { pixKeysQuery, type SavedPixKey } from './queries'
import { pixKeyTypes, withdrawalWords } from './words'

const TYPES = optionsOf(pixKeyTypes)

/** A saved key, or another one that may be saved. */
export function PixKeyFields() {
  const keys = useQuery(pixKeysQuery)
  const [chosen, setChosen] = useState<string | null>(null)
  // A saved key that arrives later would take the place of the one that is typed.
  if (keys.isPending) return <Skeleton />
  const saved = keys.data ?? []
  const id = chosen ?? saved[0]?.id ?? ''
  const key = saved.find((each) => each.id === id)
  return (
    <>
      {saved.length > 0 && (
        <SelectField
          key={saved.length}
          name="savedKey"
          label={withdrawalWords.savedKeys}
          options={[
            ...saved.map((each) => ({ value: each.id, label: labelOf(each) })),
            { value: '', label: withdrawalWords.otherKey },
          ]}
          defaultValue={id}
          onChoose={setChosen}
        />
      )}
      {key ? (
        <>
          <input type="hidden" name="pixKey" value={key.pixKey} />
          <input type="hidden" name="pixKeyType" value={key.pixKeyType} />
          <div>
            <DeletePixKeyButton id={key.id} onDone={() => setChosen(null)} />
          </div>
        </>
      ) : (
        <OtherKey />
      )}
    </>
  )
}

function OtherKey() {
  const can = useCan()
  const [found, setFound] = useState('cpf')
  return (
    <>
      <TextField
        name="pixKey"
        label={withdrawalWords.key}
        hint={withdrawalWords.keyHint}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => setFound(pixKeyTypeOf(event.currentTarget.value) ?? found)}
        required
      />
      <SelectField key={found} name="pixKeyType" label={withdrawalWords.keyType} options={TYPES} defaultValue={found} />
      {can('savePixKey') && <CheckField name="saveKey" label={withdrawalWords.saveKey} />}
    </>
  )
}

function labelOf({ name, pixKey, pixKeyType }: SavedPixKey): string {
  const text = formatPixKey(pixKeyType, pixKey)
  return name ? `${name} · ${text}` : text
}
