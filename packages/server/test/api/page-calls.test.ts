import { rules } from '@throughline/models/reader'
import { memoryStore } from '@throughline/stores/memory'
import { apiClient } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { createKeys } from '../../src/auth/create-keys.ts'
import { readerUpstream } from '../../src/upstream/reader-upstream.ts'

describe.each(await someStores())('the calls behind a page of messages, in %s', (_, create) => {
  it('say what was brought back for which message, also on a branch', async () => {
    const { url } = await startServer({ store: create() })
    const api = apiClient(url)
    await api.post('/samples/conversation')
    const path = '/conversations/sample-toad-patrol'
    const body = {
      at: 523,
      input: 'Wilf asks: what is the grid reference for the fence, the one Priya wants?',
    }
    let branch = ''
    for await (const { data } of api.events(`${path}/edit`, { body }))
      branch = data.branch ?? branch
    await api.say('sample-toad-patrol', 'Thank you.', {}, `?branch=${encodeURIComponent(branch)}`)
    const at = `branch=${encodeURIComponent(branch)}`
    const { body: shown } = await api.get(`${path}/entries?${at}&limit=4&calls=true`)
    expect(shown.entries.map(({ seq }: { seq: number }) => seq)).toEqual([523, 524, 525, 526])
    expect(shown.calls).toMatchObject([
      { at: 523, status: 'completed', model: 'reader', asking: 523 },
      // Thanks ask for nothing: the last three exchanges take back the room of what was asked for.
      { at: 525, status: 'completed' },
    ])
    expect(shown.calls[1].asking).toBeUndefined()
    const { body: call } = await api.get(`${path}/calls/${shown.calls[0].id}?${at}`)
    const block = call.sent.findLast((row: { part: string }) => row.part === 'recall')
    expect(shown.calls[0].recalled).toContain(21)
    expect(shown.calls[0].recalled).toEqual(block.standsFor)
    const { body: older } = await api.get(`${path}/entries?${at}&limit=4&at=500&calls=true`)
    expect(older.calls).toEqual([])
    expect((await api.get(`${path}/entries?limit=1`)).body.calls).toBeUndefined()
  })
})

it('are told only to those who may inspect; notes stay out of a stream that wants none', async () => {
  const store = memoryStore()
  const { key } = await createKeys(store).create({
    name: 'test',
    tenant: 'default',
    scopes: ['read'],
  })
  const noting = rules(() => 'Hello. [NOTE TO SELF: greet less]', { window: 2048 })
  const upstream = { ...readerUpstream(), model: () => noting }
  const { url } = await startServer({ store, upstream, notes: true })
  const api = apiClient(url)
  const typesOf = async (more: object) =>
    (await api.say('a', 'Hi.', more)).map(({ data }) => data.type)
  expect(await typesOf({})).toContain('note')
  expect(await typesOf({ notes: false })).not.toContain('note')
  expect(await typesOf({ notes: false })).toContain('context')
  const reading = apiClient(url, { authorization: `Bearer ${key}` })
  expect((await reading.get('/conversations/a/entries?calls=true')).body.error.field).toBe('calls')
})
