import { expect, test } from 'vitest'
import {
  addDays,
  formatDocument,
  formatMoney,
  formatPhone,
  formatPostalCode,
  formatPrintedTime,
  formatSize,
  formatTime,
  formatTotal,
  formatTypedDecimal,
  formatTypedInteger,
  formatTypedMoney,
  formatWait,
  formatWrittenMoney,
  instantOf,
  localTimeOf,
  maskDocument,
  offsetOf,
  parseMoney,
  setTimeZone,
  timeZone,
  timeZoneName,
} from './format'

const plain = (text: string) => text.replace(/\u00a0/g, ' ')

test('numbers are typed without letters', () => {
  expect(['1o', '-5', '1.000', '99999999999'].map(formatTypedInteger)).toEqual(['1', '5', '1000', '999999999'])
  expect(['12.5', '12,5%', '1,2,3', 'dez'].map(formatTypedDecimal)).toEqual(['12,5', '12,5', '1,23', ''])
})

test('money is shown and typed as in Brazil', () => {
  expect(plain(formatMoney(1234.5))).toBe('R$ 1.234,50')
  const typed = {
    '5': '0,05',
    '005': '0,05',
    '1290': '12,90',
    '123456': '1.234,56',
    '0': '',
    'R$ 1.234,56': '1.234,56',
  }
  for (const [text, shown] of Object.entries(typed)) expect(formatTypedMoney(text)).toBe(shown)
  expect(parseMoney('1.234,56')).toBe(1234.56)
  expect(parseMoney('')).toBeNull()
})

test('written money is a number, or no amount', () => {
  const amounts = {
    '50': '50,00',
    'R$ 50': '50,00',
    'R$\u00a01.000': '1.000,00',
    ' 1.234,56 ': '1.234,56',
    '1,234.56': '1.234,56',
    '1234.5': '1.234,50',
    '49.9': '49,90',
    '1.50': '1,50',
    '1.500': '1.500,00',
    '1.234.567': '1.234.567,00',
    '0,05': '0,05',
    '9999999999,99': '9.999.999.999,99',
  }
  for (const [text, shown] of Object.entries(amounts)) expect(formatWrittenMoney(text), text).toBe(shown)
  const others = [
    '-3',
    'R$ -3',
    '(3)',
    '1,555',
    '1234.567',
    '0.500',
    '1.23.45',
    '1,234,567',
    '10 20',
    'dez',
    '10000000000',
  ]
  for (const text of others) expect(formatWrittenMoney(text), text).toBeNull()
})

test('times name the day by its distance, in the zone of São Paulo', () => {
  const now = new Date('2026-11-28T02:30:00Z') // 27 November, 23:30, in São Paulo.
  expect(formatTime('2026-11-27T15:04:00Z', now)).toBe('hoje 12:04')
  expect(formatTime('2026-11-27T02:59:00Z', now)).toBe('ontem 23:59')
  expect(formatTime('2026-11-28T12:00:00Z', now)).toBe('amanhã 09:00')
  expect(plain(formatTime('2026-03-01T12:00:00Z', now))).toBe('01/03 09:00')
  expect(formatTime('2025-03-01T12:00:00Z', now)).toBe('01/03/2025')
  expect(addDays('2026-02-28', 1)).toBe('2026-03-01')
})

test('another zone has days, times and a name of its own', () => {
  const now = new Date('2026-11-28T02:30:00Z')
  setTimeZone('America/Noronha')
  expect(formatTime('2026-11-28T02:00:00Z', now)).toBe('hoje 00:00')
  expect([offsetOf('2026-11-28'), instantOf('2026-11-28T00:30')]).toEqual(['-02:00', '2026-11-28T02:30:00.000Z'])
  setTimeZone('America/Manaus')
  expect(plain(formatPrintedTime('2026-11-28T02:00:00Z'))).toBe('27/11/2026, 22:00')
  expect([offsetOf('2026-11-28'), timeZone(), timeZoneName()]).toEqual([
    '-04:00',
    'America/Manaus',
    'Horário Padrão do Amazonas',
  ])
  setTimeZone('America/Sao_Paulo')
})

test('documents, phones and postal codes get their form while they are typed or pasted', () => {
  expect(formatDocument('5299')).toBe('529.9')
  expect(formatDocument('529.982.247-25')).toBe('529.982.247-25')
  expect(formatDocument('11222333000181')).toBe('11.222.333/0001-81')
  expect(formatDocument('12abc34501de35')).toBe('12.ABC.345/01DE-35')
  expect(maskDocument('52998224725')).toBe('***.982.247-**')
  expect(formatPhone('+55 (11) 98765-4321')).toBe('(11) 98765-4321')
  expect(formatPhone('1133334444')).toBe('(11) 3333-4444')
  expect(formatPostalCode('01310100')).toBe('01310-100')
})

test('a capped total says that there is more', () => {
  expect(formatTotal(3000, true)).toBe('3.000 ou mais')
  expect(formatTotal(12, false)).toBe('12')
})

test('a wait is said in its largest unit', () => {
  const now = new Date('2026-11-27T15:00:00Z')
  expect(formatWait('2026-11-27T15:00:30Z', now)).toBe('em 30 s')
  expect(formatWait('2026-11-27T15:04:10Z', now)).toBe('em 4 min')
  expect(formatWait('2026-11-28T15:00:00Z', now)).toBe('em 24 h')
  expect(formatWait('2026-11-30T15:00:00Z', now)).toBe('em 3 dias')
  expect(formatWait('2026-11-27T14:59:00Z', now)).toBe('agora')
})

test('a local time and its instant, with and without summer time', () => {
  expect(instantOf('2026-12-01T10:00')).toBe('2026-12-01T13:00:00.000Z')
  expect(instantOf('2018-12-01T10:00')).toBe('2018-12-01T12:00:00.000Z')
  expect(localTimeOf(new Date('2026-12-01T13:00:00Z'))).toBe('2026-12-01T10:00')
})

test('the size of a file is shown in the unit that people read', () => {
  expect(formatSize(12)).toBe('1 kB')
  expect(formatSize(340_400)).toBe('340 kB')
  expect(formatSize(1_240_000)).toBe('1,2 MB')
})
