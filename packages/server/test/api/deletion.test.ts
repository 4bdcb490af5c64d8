import { createHistory } from '@throughline/history'
import { memoryStore } from '@throughline/stores'
import { apiClient } from '@throughline/test-tools/api-client'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import { createKeys } from '../../src/auth/create-keys.ts'

type Listed = { readonly conversation: string }

async function start(options: Partial<Parameters<typeof startServer>[0]> = {}) {
  const store = memoryStore()
  const { url } = await startServer({ store, ...options })
  const api = apiClient(url)
  const listed = async () =>
    (await api.get('/conversations')).body.conversations
      .map((one: Listed) => one.conversation)
      .toSorted()
  return { store, api, listed }
}

it('deletes every conversation in which an actor has a thread, and then all', async () => {
  const { api, listed } = await start()
  for (const name of ['a', 'b', 'c']) await api.say(name, 'Hello.')
  await api.say('b', 'Hello, clerk.', {}, '?actor=clerk')
  expect((await api.remove('/conversations?actor=clerk')).body).toEqual({ deleted: ['b'] })
  expect(await listed()).toEqual(['a', 'c'])
  expect((await api.remove('/conversations?all=true')).body).toEqual({ deleted: ['a', 'c'] })
  expect(await listed()).toEqual([])
})

it('deletes nothing unless it is told what', async () => {
  const { api, listed } = await start()
  await api.say('a', 'Hello.')
  for (const query of ['', '?all=false', '?actor=x&all=true', '?tenant=globex'])
    expect((await api.remove(`/conversations${query}`)).status).toBe(400)
  expect(await listed()).toEqual(['a'])
})

it('deletes what was not used for a time, on request', async () => {
  const { api, listed } = await start()
  await api.say('a', 'Hello.')
  expect((await api.post('/retain', { conversationsMs: 3_600_000 })).body).toEqual({
    deleted: [],
    calls: 0,
  })
  await new Promise(resolve => setTimeout(resolve, 5))
  expect((await api.post('/retain', { callsMs: 0 })).body).toEqual({ deleted: [], calls: 1 })
  expect((await api.post('/retain', { conversationsMs: 0 })).body).toEqual({
    deleted: ['a'],
    calls: 0,
  })
  expect(await listed()).toEqual([])
})

it('a running server deletes by itself what is older than keepMs, and nothing else', async () => {
  const { api, store, listed } = await start()
  await api.say('old', 'Hello.')
  await startServer({
    store,
    now: () => Date.now() + 7_200_000,
    keepMs: 10_800_000,
    sideMs: 3_600_000,
  })
  await startServer({
    store,
    now: () => Date.now() + 7_200_000,
    keepCallsMs: 3_600_000,
    sideMs: 3_600_000,
  })
  const calls = async () => (await api.get('/conversations/old/calls')).body.calls.length
  await expect.poll(calls).toBe(0)
  expect(await listed()).toEqual(['old'])
  await startServer({
    store,
    now: () => Date.now() + 7_200_000,
    keepMs: 3_600_000,
    sideMs: 3_600_000,
  })
  await expect.poll(listed).toEqual([])
})

it('also what is old of a tenant whose keys are revoked', async () => {
  const store = memoryStore()
  const keys = createKeys(store)
  const { record } = await keys.create({ name: 'Ada', tenant: 'red' })
  await createHistory({ store, tenant: 'red' })
    .thread('old')
    .seed({ role: 'user', content: 'Hello.' })
  await keys.revoke(record.id)
  await startServer({
    store,
    now: () => Date.now() + 7_200_000,
    keepMs: 3_600_000,
    sideMs: 3_600_000,
  })
  await expect.poll(() => store.conversations('red')).toEqual([])
})
