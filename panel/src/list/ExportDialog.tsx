import { Fragment, useState } from 'react'
import type { ExportFormat } from '../api/gql/graphql'
import { Button } from '../ui/Button'
import { CheckGroupField } from '../ui/CheckGroupField'
import { Disclosure } from '../ui/Disclosure'
import { Facts } from '../ui/Facts'
import { Form } from '../ui/Form'
import { formatTotal, timeZoneName } from '../ui/format'
import { Modal } from '../ui/Modal'
import { optionsOf } from '../ui/options'
import { SelectField } from '../ui/SelectField'
import { type ExportedFile, readUnwantedColumns, storeUnwantedColumns } from './exportedFile'
import type { FilterBarProps } from './FilterBar'
import { FilterText } from './FilterText'
import { activeFilters } from './filterOf'
import { exportFormats, listWords } from './words'

export type ExportDialogProps = Pick<FilterBarProps, 'search' | 'tabs' | 'filters' | 'orders'> & {
  /** Without one, the number of rows is not known. */
  total?: number
  capped?: boolean
  file: ExportedFile
  onClose: () => void
}

/** Says what the file will have, and lets the browser download it. */
export function ExportDialog({ total, capped = false, file, onClose, ...shown }: ExportDialogProps) {
  const columns = Object.keys(file.columns)
  const [checked, setChecked] = useState(() => {
    const unwanted = readUnwantedColumns()
    return columns.filter((name) => !unwanted.includes(name))
  })
  const none = checked.length === 0

  async function send({ format, columns: text = '' }: Record<string, string>) {
    const chosen = text.split(',')
    const { url } = await file.begin(format as ExportFormat, chosen)
    storeUnwantedColumns(columns.filter((name) => !chosen.includes(name)))
    download(url)
    onClose()
  }

  return (
    <Modal title={listWords.exportTitle} lead={listWords.exportLead} onClose={onClose}>
      <Facts
        facts={[
          { term: listWords.rows, value: total === undefined ? null : formatTotal(total, capped) },
          ...factsOf(shown),
        ]}
      />
      <Form submit={listWords.download} onSubmit={send}>
        <SelectField name="format" label={listWords.format} options={optionsOf(exportFormats)} hint={timeZoneName()} />
        <Disclosure label={listWords.chooseColumns}>
          <Button variant="plain" onClick={() => setChecked(none ? columns : [])}>
            {none ? listWords.checkAll : listWords.uncheckAll}
          </Button>
          <CheckGroupField
            key={String(none)}
            name="columns"
            label={listWords.columns}
            options={optionsOf(file.columns)}
            defaultValues={checked}
          />
        </Disclosure>
      </Form>
    </Modal>
  )
}

/** The tab, the search, the filters and the order, in words. */
function factsOf({ search, tabs, filters, orders }: Pick<ExportDialogProps, 'search' | 'tabs' | 'filters' | 'orders'>) {
  const tab = tabs?.options.find((option) => option.value === search[tabs.name])
  const active = activeFilters(search, filters).map((field, number) => (
    <Fragment key={field.name}>
      {number > 0 && '; '}
      <FilterText field={field} value={search[field.name] ?? ''} />
    </Fragment>
  ))
  const order = orders?.find((option) => option.value === search.order) ?? orders?.[0]
  return [
    { term: tabs?.label ?? '', value: tab?.label },
    { term: listWords.searched, value: search.q },
    { term: listWords.activeFilters, value: active.length > 0 && active },
    { term: listWords.order, value: order?.label },
  ]
}

/** The page stays, also where the download fails: the link goes to the same origin. */
function download(url: string) {
  const link = document.createElement('a')
  link.href = new URL(url).pathname
  link.download = ''
  link.click()
}
