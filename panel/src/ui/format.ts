const LOCALE = 'pt-BR'
const currency = new Intl.NumberFormat(LOCALE, { style: 'currency', currency: 'BRL' })
const decimal = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 })
const integer = new Intl.NumberFormat(LOCALE)
const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 })

let zone = ''
let formats = formatsOf('America/Sao_Paulo')

function formatsOf(timeZone: string) {
  zone = timeZone
  const format = (locale: string, parts: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone, ...parts })
  return {
    time: format(LOCALE, { hour: '2-digit', minute: '2-digit' }),
    day: format(LOCALE, { day: '2-digit', month: '2-digit' }),
    date: format(LOCALE, { dateStyle: 'short' }),
    full: format(LOCALE, { dateStyle: 'full', timeStyle: 'medium' }),
    printed: format(LOCALE, { dateStyle: 'short', timeStyle: 'short' }),
    isoDay: format('en-CA', { dateStyle: 'short' }),
    isoMinute: format('sv-SE', { dateStyle: 'short', timeStyle: 'short' }),
    zone: format(LOCALE, { timeZoneName: 'long' }),
  }
}

/** The zone of all days and times that the panel shows and sends: the store's. */
export const timeZone = (): string => zone

export function setTimeZone(next: string): void {
  if (next !== zone) formats = formatsOf(next)
}

let aheadMilliseconds = 0

/** What time it is for the store: the clock of its test environment may be ahead. */
export const storeNow = (): Date => new Date(Date.now() + aheadMilliseconds)

export function setClock(aheadSeconds: number): void {
  aheadMilliseconds = aheadSeconds * 1000
}

/** `Horário Padrão de Brasília`. */
export const timeZoneName = (): string =>
  formats.zone.formatToParts().find((part) => part.type === 'timeZoneName')?.value ?? zone

/** `R$ 1.234,56`. */
export const formatMoney = (reais: number): string => currency.format(reais)

export const formatInteger = (value: number): string => integer.format(value)

/** `1,2 MB` or `340 kB`. */
export const formatSize = (bytes: number): string =>
  bytes < 1_000_000
    ? `${integer.format(Math.max(1, Math.round(bytes / 1000)))} kB`
    : `${decimal.format(bytes / 1_000_000)} MB`

/** `12,5%` of 0.125. */
export const formatShare = (share: number): string => percent.format(share)

/** `3.000 ou mais` for a total that the gateway counted up to its limit only. */
export const formatTotal = (total: number, capped: boolean): string =>
  integer.format(total) + (capped ? ' ou mais' : '')

/** The day of an instant in the store's zone, as `2026-11-28`. */
export const dayOf = (value: Date): string => formats.isoDay.format(value)

/** The day some days later, as `2026-11-28`. */
export function addDays(isoDate: string, days: number): string {
  const moved = new Date(`${isoDate}T12:00:00Z`)
  moved.setUTCDate(moved.getUTCDate() + days)
  return moved.toISOString().slice(0, 10)
}

/** `28/11/2026` of `2026-11-28`. */
export const formatDay = (isoDate: string): string => isoDate.split('-').reverse().join('/')

/** `hoje 14:32`, `ontem 14:32`, `amanhã 14:32`, `12/11 14:32`, or `12/11/2025` of another year. */
export function formatTime(iso: string, now: Date = storeNow()): string {
  const value = new Date(iso)
  const [its, today] = [dayOf(value), dayOf(now)]
  if (its === today) return `hoje ${formats.time.format(value)}`
  if (its === addDays(today, -1)) return `ontem ${formats.time.format(value)}`
  if (its === addDays(today, 1)) return `amanhã ${formats.time.format(value)}`
  return its.slice(0, 4) === today.slice(0, 4)
    ? `${formats.day.format(value)} ${formats.time.format(value)}`
    : formats.date.format(value)
}

/** `sábado, 28 de novembro de 2026 às 14:32:05`. */
export const formatFullTime = (iso: string): string => formats.full.format(new Date(iso))

/** `28/11/2026, 14:32`. */
export const formatPrintedTime = (iso: string): string => formats.printed.format(new Date(iso))

/** `em 4 min`, `em 3 h`, `em 2 dias`, or `agora` when the time has come. */
export function formatWait(iso: string, now: Date = new Date()): string {
  const seconds = (new Date(iso).getTime() - now.getTime()) / 1000
  if (seconds < 1) return 'agora'
  if (seconds < 60) return `em ${Math.round(seconds)} s`
  if (seconds < 3600) return `em ${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `em ${Math.round(seconds / 3600)} h`
  return `em ${Math.round(seconds / 86_400)} dias`
}

/** `2026-12-01T10:00` in the store's zone, for a `datetime-local` field. */
export const localTimeOf = (value: Date): string => formats.isoMinute.format(value).replace(' ', 'T')

/** The instant that a `datetime-local` field means in the store's zone. */
export function instantOf(local: string): string {
  const asUtc = new Date(`${local}Z`)
  const offset = asUtc.getTime() - new Date(`${localTimeOf(asUtc)}Z`).getTime()
  return new Date(asUtc.getTime() + offset).toISOString()
}

/** The zone's distance from UTC on a day, as `-03:00`. */
export function offsetOf(isoDate: string): string {
  const minutes = (Date.parse(`${isoDate}T12:00Z`) - Date.parse(instantOf(`${isoDate}T12:00`))) / 60_000
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((each) =>
    String(each).padStart(2, '0'),
  )
  return `${minutes < 0 ? '-' : '+'}${hours}:${rest}`
}

/** A CPF or CNPJ as it is typed. A CNPJ may have letters. */
export function formatDocument(text: string): string {
  const value = text.replace(/[^0-9A-Za-z]/g, '').toUpperCase()
  return value.length <= 11 && !/[A-Z]/.test(value) ? fill(value, '###.###.###-##') : fill(value, '##.###.###/####-##')
}

/** `***.456.789-**`, for lists that others may see over a shoulder. A CNPJ is public. */
export function maskDocument(value: string): string {
  return value.length === 11 ? `***.${value.slice(3, 6)}.${value.slice(6, 9)}-**` : formatDocument(value)
}

/** A Brazilian phone as it is typed, with a pasted +55 removed. */
export function formatPhone(text: string): string {
  const digits = text.replace(/\D/g, '')
  const national = digits.length > 11 && digits.startsWith('55') ? digits.slice(2) : digits
  return fill(national, national.length > 10 ? '(##) #####-####' : '(##) ####-####')
}

export const formatPostalCode = (text: string): string => fill(text.replace(/\D/g, ''), '#####-###')

/** A whole number as it is typed, of at most nine digits. */
export const formatTypedInteger = (text: string): string => text.replace(/\D/g, '').slice(0, 9)

/** A number with a comma as it is typed: `12.5` is `12,5`. */
export function formatTypedDecimal(text: string): string {
  const [whole = '', ...decimals] = text.replace(/[^0-9.,]/g, '').split(/[.,]/)
  return decimals.length > 0 ? `${whole},${decimals.join('')}` : whole
}

const MAX_MONEY_DIGITS = 12

/** Money typed from the right: `123456` is `1.234,56`. */
export function formatTypedMoney(text: string): string {
  const digits = text.replace(/\D/g, '').replace(/^0+/, '').slice(0, MAX_MONEY_DIGITS)
  if (digits === '') return ''
  const cents = digits.padStart(3, '0')
  return `${integer.format(Number(cents.slice(0, -2)))},${cents.slice(-2)}`
}

// Thousands with dots, or with commas before a decimal dot, and at most two decimals.
const MONEY = /^(?:R\$\s*)?(\d+|[1-9]\d{0,2}(?:\.\d{3})+|[1-9]\d{0,2}(?:,\d{3})+(?=\.))(?:[.,](\d{1,2}))?$/i

/** Money that is written out, as a typed text has it: `50` is `50,00`, `R$ 1.000` is `1.000,00`. Null of no amount. */
export function formatWrittenMoney(text: string): string | null {
  const [, whole, decimals = ''] = MONEY.exec(text.trim()) ?? []
  if (whole === undefined) return null
  const cents = whole.replace(/\D/g, '').replace(/^0+/, '') + decimals.padEnd(2, '0')
  return cents.length > MAX_MONEY_DIGITS ? null : formatTypedMoney(cents)
}

/** The reais of `1.234,56`; null of an empty text. */
export function parseMoney(text: string): number | null {
  const digits = text.replace(/\D/g, '')
  return digits === '' ? null : Number(digits) / 100
}

function fill(value: string, pattern: string): string {
  let at = 0
  let text = ''
  for (const mark of pattern) {
    if (at >= value.length) break
    text += mark === '#' ? (value[at++] ?? '') : mark
  }
  return text
}
