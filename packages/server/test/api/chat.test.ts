import { ModelError } from '@throughline/models/model'
import { rules } from '@throughline/models/reader'
import { apiClient, textOf } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { readerUpstream } from '../../src/upstream/reader-upstream.ts'
import type { Upstream } from '../../src/upstream/upstream.ts'

describe.each(await someStores())('replies over the API, on %s', (_, create) => {
  async function start(upstream?: Upstream) {
    const server = await startServer({ store: create(), ...(upstream && { upstream }) })
    return { ...server, api: apiClient(server.url) }
  }

  /** A reader that never comes to its second word. */
  const slow = () => readerUpstream({ delayMs: 3_600_000 })

  it('streams the parts of a reply, and answers the same key once', async () => {
    const { api } = await start()
    const events = await api.say('a', 'The boat is called Seagull.', { key: 'k1', model: 'reader' })
    const types = events.map(({ event }) => event)
    expect(types[0]).toBe('reply')
    expect(types.at(-1)).toBe('end')
    expect(events.at(-1)!.data).toMatchObject({
      status: 'completed',
      turn: 1,
      branch: 'main',
      rounds: 1,
    })
    const again = await api.say('a', 'The boat is called Seagull.', { key: 'k1' })
    expect(textOf(again)).toBe(textOf(events))
    expect((await api.get('/conversations/a')).body.threads[0].head).toBe(2)
    const other = await api.say('a', 'Something else.', { key: 'k1' })
    expect(other.map(({ data }) => data.error?.code)).toContain('key_reused')
  })

  it('edits and answers again on branches', async () => {
    const { api } = await start()
    await api.say('a', 'The boat is called Seagull.')
    await api.say('a', 'What is the boat called?')
    const edited = []
    for await (const one of api.events('/conversations/a/edit', {
      body: { at: 1, input: 'The boat is called Gannet.' },
    }))
      edited.push(one)
    const { branch } = edited.at(-1)!.data
    expect(branch).not.toBe('main')
    const asked = await api.say('a', 'What is the boat called?', {}, `?branch=${branch}`)
    expect(textOf(asked)).toContain('Gannet')
    const again = []
    for await (const one of api.events('/conversations/a/regenerate', { body: {} })) again.push(one)
    expect(textOf(again)).toContain('Seagull')
    expect((await api.get('/conversations/a/threads')).body.threads).toHaveLength(3)
    expect((await api.post('/conversations/none/regenerate')).status).toBe(404)
  })

  it('says in the stream why a turn failed, and in the status why it could not be asked', async () => {
    const away = rules(() => {
      throw new ModelError('model_unavailable', 'The model has crashed.', { isRetryable: false })
    })
    const { api } = await start({ ...readerUpstream(), model: () => away })
    const events = await api.say('a', 'Hello.')
    expect(events.map(({ data }) => data.error?.code)).toContain('model_unavailable')
    expect(events.at(-1)!.data.status).toBe('failed')
    expect((await api.get('/conversations/a/turns')).body.turns[0]).toMatchObject({
      status: 'failed',
      error: 'model_unavailable',
    })
    expect((await api.post('/conversations/a/send', { text: 'x' })).body.error.field).toBe('input')
    expect((await api.post('/conversations/a/send', '{')).body.error.code).toBe('bad_request')
    const role = await api.post('/conversations/a/send', {
      input: { role: 'assistant', content: 'x' },
    })
    expect(role.body).toContain('invalid_option')
  })

  it('stores nothing for a model that is not there', async () => {
    const { api } = await start()
    const refused = await api.post('/conversations/a/send', { input: 'Hello.', model: 'none' })
    expect([refused.status, refused.body.error.code]).toEqual([404, 'model_not_found'])
    expect((await api.get('/conversations/a')).status).toBe(404)
  })

  it('cancels a reply that is deleted, or whose stream is closed', async () => {
    const { api, history } = await start(slow())
    const text = 'The boat is called Seagull.'
    const events = []
    for await (const one of api.events('/conversations/a/send', { body: { input: text } })) {
      events.push(one)
      if (
        one.event === 'text-delta' &&
        events.filter(({ event }) => event === 'text-delta').length === 1
      )
        expect((await api.remove(`/replies/${events[0]!.data.id}`)).status).toBe(204)
    }
    expect(events.at(-1)!.data.status).toBe('cancelled')
    expect((await api.remove(`/replies/${events[0]!.data.id}`)).status).toBe(404)
    for await (const one of api.events('/conversations/b/send', { body: { input: text } }))
      if (one.event === 'text-delta') break
    const statusOf = async () => (await history.thread('b').turns()).at(-1)?.status
    await expect.poll(statusOf).toBe('cancelled')
    expect((await api.get('/conversations/b/calls')).body.calls[0].status).toBe('cancelled')
  })

  it('tells a second writer that a turn is open', async () => {
    let go = () => {}
    const gone = new Promise<void>(resolve => {
      go = resolve
    })
    const waiting: Upstream = {
      ...readerUpstream(),
      model: () => rules(() => gone.then(() => 'Done.'), { window: 4096 }),
    }
    const { api } = await start(waiting)
    const first = api.say('a', 'One.')
    await expect
      .poll(async () => (await api.get('/conversations/a/status')).body.state)
      .toBe('open')
    const second = await api.say('a', 'Two.')
    expect(second.map(({ data }) => data.error?.code)).toContain('turn_open')
    go()
    expect(textOf(await first)).toBe('Done.')
  })
})
