import { expect, test } from 'vitest'
import { changesOf } from './live'

test('an event has a change, a heartbeat and the end have none', () => {
  const change = { type: 'charge', id: '1', action: 'charge.paid' }
  expect(changesOf(`event: next\ndata: ${JSON.stringify({ data: { changes: change } })}`)).toEqual([change])
  expect(changesOf(':')).toEqual([])
  expect(changesOf('event: complete\ndata: ')).toEqual([])
  expect(changesOf('event: next\ndata: {"errors": [{"message": "x"}]}')).toEqual([])
})
