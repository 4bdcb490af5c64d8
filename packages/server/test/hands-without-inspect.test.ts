import { rules } from '@throughline/models/reader'
import { memoryStore } from '@throughline/stores/memory'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it } from 'vitest'
import { createKeys } from '../src/auth/create-keys.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

it.each([
  { notes: { place: 'inline' }, system: undefined },
  { notes: false, system: 'You are a boatswain. '.repeat(20) },
] as const)(
  'pins and lists without the right to read the system prompt, notes $notes',
  async options => {
    const store = memoryStore()
    const upstream = { ...readerUpstream(), model: () => rules(() => 'Noted.', { window: 8192 }) }
    const server = await startServer({ store, upstream, requireKeys: true, notes: options.notes })
    const { key } = await createKeys(store).create({ name: 'app', scopes: ['chat', 'read'] })
    const ask = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: response.status, text: await response.text() }
    }
    const lead = options.system === undefined ? [] : [{ role: 'system', content: options.system }]
    for (const content of ['The boat is called Heron.', 'And now?', 'And then?']) {
      const messages = [...lead, { role: 'user', content }]
      const { status } = await ask('POST', '/c/trip/v1/chat/completions', { model: 'm', messages })
      expect(status).toBe(200)
    }
    const base = '/throughline/v1/conversations/trip'
    expect(await ask('POST', `${base}/entries/1/pin`)).toMatchObject({ status: 200 })
    const { status, text } = await ask('GET', `${base}/hands`)
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { pinned: [{ first: 1, last: 1 }], hidden: [], tokens: expect.any(Number) },
    ])
    expect(text).not.toContain('boatswain')
    const call = await ask('POST', '/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'pin_message', arguments: { conversation: 'trip', place: 3 } },
    })
    expect(call.text).toContain('#3 is pinned.')
  },
)
