import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useShortcuts } from '../shortcuts/useShortcuts'
import { Button } from '../ui/Button'
import { Choice } from '../ui/Choice'
import { Icon } from '../ui/icons'
import css from './FilterBar.module.css'
import { FilterDialog } from './FilterDialog'
import { FilterText } from './FilterText'
import { activeFilters } from './filterOf'
import { isSettable, type ListControls, type ListSearch } from './search'
import { MAX_TEXT_LENGTH } from './validSearch'
import { listWords } from './words'

const TYPING_MILLISECONDS = 300

export type FilterBarProps = ListControls & {
  search: ListSearch
  onSearch: (search: ListSearch) => void
  /** The export of what is shown, or printing. */
  tools?: ReactNode
}

/** Tabs, search, filters and order of a list. The filters that are set stay visible and can be removed one by one. */
export function FilterBar({ search, onSearch, tabs, filters, placeholder, orders, tools }: FilterBarProps) {
  const [open, setOpen] = useState(false)
  const active = activeFilters(search, filters)
  return (
    <div className={css.bar}>
      {tabs && <Tabs {...tabs} search={search} />}
      <div className={css.tools}>
        {placeholder && <SearchField placeholder={placeholder} search={search} onSearch={onSearch} />}
        {filters.some(isSettable) && (
          <Button variant="plain" onClick={() => setOpen(true)}>
            {listWords.filters(active.length)}
          </Button>
        )}
        {orders && (
          <Choice
            label={listWords.order}
            value={search.order ?? orders[0]?.value ?? ''}
            options={orders}
            onChange={(order) => onSearch({ ...search, order })}
          />
        )}
        {tools}
      </div>
      {active.length > 0 && (
        <ul className={css.chips} aria-label={listWords.activeFilters}>
          {active.map((field) => (
            <li key={field.name}>
              <button
                type="button"
                className={css.chip}
                onClick={() => onSearch({ ...search, [field.name]: undefined })}
              >
                <FilterText field={field} value={search[field.name] ?? ''} />
                <span className="visually-hidden">{listWords.removeFilter}</span>
                <Icon name="cross" size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {open && <FilterDialog search={search} filters={filters} onSearch={onSearch} onClose={() => setOpen(false)} />}
    </div>
  )
}

function Tabs({
  name,
  label,
  all = listWords.all,
  options,
  search,
}: NonNullable<FilterBarProps['tabs']> & { search: ListSearch }) {
  return (
    <nav aria-label={label} className={css.tabs}>
      {[{ value: undefined, label: all }, ...options].map((option) => (
        <Link
          key={option.label}
          to="."
          search={{ ...search, [name]: option.value }}
          className={css.tab ?? ''}
          activeProps={{}}
          activeOptions={{ exact: true }}
          aria-current={search[name] === option.value ? 'page' : undefined}
          replace
        >
          {option.label}
        </Link>
      ))}
    </nav>
  )
}

type SearchFieldProps = { placeholder: string } & Pick<FilterBarProps, 'search' | 'onSearch'>

/** Searches when the typing pauses. */
function SearchField({ placeholder, search, onSearch }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  useShortcuts({ '/': () => field.current?.focus() })
  const [text, setText] = useState(search.q ?? '')
  // What was typed since stays when the address has what was sent.
  const sent = useRef(search.q ?? '')
  useEffect(() => {
    const q = search.q ?? ''
    if (q === sent.current) return
    sent.current = q
    setText(q)
  }, [search.q])
  useEffect(() => {
    const q = text.trim()
    if (q === sent.current) return
    const timer = setTimeout(() => {
      sent.current = q
      onSearch({ ...search, q: q || undefined })
    }, TYPING_MILLISECONDS)
    return () => clearTimeout(timer)
  }, [text, search, onSearch])
  return (
    <input
      ref={field}
      type="search"
      className={css.search}
      aria-label={listWords.search}
      placeholder={placeholder}
      maxLength={MAX_TEXT_LENGTH}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  )
}
