import { afterEach, expect, test, vi } from 'vitest'
import { renewalDelay } from './renewal'
import {
  chooseStore,
  closeSession,
  currentSession,
  currentToken,
  EnvironmentChanged,
  expiryOf,
  lifetimeOf,
  openSession,
  resumeWith,
  unlock,
} from './session'

const ana = { accessToken: 'first', environment: 'test', user: { id: 'ana' } } as const

afterEach(() => {
  closeSession()
  resumeWith(async () => false)
})

test('the token and the session come and go together', () => {
  openSession(ana)
  expect(currentToken()).toBe('first')
  expect(currentSession()).toEqual({ userId: 'ana', environment: 'test', storeId: null, locked: false })
  closeSession()
  expect(currentToken()).toBeNull()
  expect(currentSession()).toBeNull()
})

test('a new token of the same account keeps the store, that of another one does not', () => {
  openSession(ana)
  chooseStore('loja')
  openSession({ ...ana, accessToken: 'second' })
  expect(currentSession()?.storeId).toBe('loja')
  openSession({ ...ana, user: { id: 'bia' } })
  expect(currentSession()?.storeId).toBeNull()
})

test('a locked session resolves the requests that wait for it', async () => {
  openSession(ana)
  const waiting = unlock()
  await vi.waitFor(() => expect(currentSession()?.locked).toBe(true))
  openSession(ana)
  await waiting
  expect(currentSession()?.locked).toBe(false)
})

test('a request that waits fails if the session goes on in another environment', async () => {
  openSession(ana)
  const waiting = unlock()
  await vi.waitFor(() => expect(currentSession()?.locked).toBe(true))
  openSession({ ...ana, environment: 'live' })
  await expect(waiting).rejects.toThrow(EnvironmentChanged)
})

test('a session that can be resumed is not locked, and requests share one attempt', async () => {
  openSession(ana)
  const how = vi.fn(async () => {
    openSession({ ...ana, accessToken: 'second' })
    return true
  })
  resumeWith(how)
  await Promise.all([unlock(), unlock()])
  expect(how).toHaveBeenCalledOnce()
  expect(currentToken()).toBe('second')
  expect(currentSession()?.locked).toBe(false)
})

test('a closed session rejects the requests that wait for it', async () => {
  openSession(ana)
  const waiting = unlock()
  closeSession()
  await expect(waiting).rejects.toThrow()
  await expect(unlock()).rejects.toThrow()
})

test('another account that leaves this browser closes no session but its own', async () => {
  const tab = new BroadcastChannel('painel')
  openSession(ana)
  tab.postMessage('bia')
  tab.postMessage('ana')
  await vi.waitFor(() => expect(currentSession()).toBeNull())
  openSession({ ...ana, user: { id: 'bia' } })
  tab.postMessage('ana')
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(currentSession()).not.toBeNull()
  tab.close()
})

test('a token is renewed at three quarters of its life', () => {
  const payload = btoa(JSON.stringify({ exp: 3600 })).replace(/=+$/, '')
  expect(expiryOf(`h.${payload}.s`)).toBe(3_600_000)
  expect(renewalDelay(0, 3_600_000)).toBe(2_700_000)
  expect(renewalDelay(10, 5)).toBe(0)
})

test('how long a token is valid needs no clock', () => {
  const payload = btoa(JSON.stringify({ iat: 100, exp: 400 }))
  expect(lifetimeOf(`h.${payload}.s`)).toBe(300_000)
})
