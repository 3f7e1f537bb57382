import { CheckField } from '../ui/CheckField'
import { Form } from '../ui/Form'
import { parseMoney } from '../ui/format'
import { Modal } from '../ui/Modal'
import { SelectField } from '../ui/SelectField'
import { TextField } from '../ui/TextField'
import { TypedField } from '../ui/TypedField'
import { ParentField } from './ParentField'
import { type FilterField, isSettable, type ListSearch } from './search'
import { listWords } from './words'

type Props = {
  search: ListSearch
  filters: readonly FilterField[]
  onSearch: (search: ListSearch) => void
  onClose: () => void
}

/** All filters of a list that a person can set. */
export function FilterDialog({ search, filters, onSearch, onClose }: Props) {
  const fields = filters.filter(isSettable)

  async function apply(values: Record<string, string>) {
    const next = { ...search }
    for (const field of fields) next[field.name] = parameterOf(field, values[field.name] ?? '')
    onSearch(next)
    onClose()
  }

  return (
    <Modal title={listWords.filtersTitle} onClose={onClose}>
      <Form submit={listWords.apply} onSubmit={apply}>
        {fields.map((field) => (
          <FilterInput key={field.name} field={field} value={search[field.name] ?? ''} />
        ))}
      </Form>
    </Modal>
  )
}

function FilterInput({ field, value }: { field: FilterField; value: string }) {
  const { name, label } = field
  if (field.kind === 'money') {
    return <TypedField kind="money" name={name} label={label} defaultValue={value && Number(value).toFixed(2)} />
  }
  if (field.kind === 'choice') {
    const options = [{ value: '', label: listWords.any }, ...(field.options ?? [])]
    return <SelectField name={name} label={label} options={options} defaultValue={value} />
  }
  if (field.kind === 'flag') return <CheckField name={name} label={label} value="1" defaultChecked={value !== ''} />
  if (field.source) return <ParentField name={name} label={label} source={field.source} value={value} />
  const type = field.kind === 'date' || field.kind === 'number' ? field.kind : 'text'
  return <TextField name={name} label={label} type={type} defaultValue={value} />
}

function parameterOf(field: FilterField, value: string): string | undefined {
  const text = field.kind === 'money' ? String(parseMoney(value) ?? '') : value.trim()
  return text || undefined
}
