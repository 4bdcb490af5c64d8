import { createHistory } from '@throughline/history'
import { memoryStore } from '@throughline/stores/memory'
import { apiClient, type HeardEvent } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventStream } from '../../src/api/event-stream.ts'
import { createFeeds } from '../../src/api/live/feeds.ts'
import type { ServerOptions } from '../../src/create-server.ts'

/** Reads events until one fulfils the condition. */
async function until(events: AsyncGenerator<HeardEvent>, isIt: (event: HeardEvent) => boolean) {
  const heard: HeardEvent[] = []
  for (;;) {
    const { done, value } = await events.next()
    if (done) throw new Error(`the stream ended after ${JSON.stringify(heard)}`)
    heard.push(value)
    if (isIt(value)) return heard
  }
}

const isReady = ({ event }: HeardEvent) => event === 'ready'
const isWritten = (conversation: string, head: number) => (event: HeardEvent) =>
  event.data.conversation === conversation && event.data.threads?.[0]?.head === head

describe.each(await someStores())('live events, on %s', (_, create) => {
  const start = async (options: Partial<ServerOptions>) => {
    const server = await startServer(options)
    return { ...server, api: apiClient(server.url) }
  }

  it('tell at once what this server wrote', async () => {
    // So rarely is the store asked that only the local notice can tell.
    const { api } = await start({ store: create(), pollMs: 3_600_000 })
    const all = api.events('/events')
    await until(all, isReady)
    await api.say('a', 'Hello.')
    await until(all, isWritten('a', 2))
    const one = api.events('/conversations/a/events')
    await until(one, isReady)
    await api.say('b', 'Hello.')
    await api.say('a', 'Hello.')
    const heard = await until(one, isWritten('a', 4))
    expect(heard.every(({ data }) => data.conversation === 'a')).toBe(true)
    await until(all, isWritten('b', 2))
    await api.patch('/conversations/b', { title: 'B' })
    await until(all, isWritten('b', 2))
    await api.remove('/conversations/b')
    await until(all, ({ event }) => event === 'deleted')
    await all.return(undefined)
    await one.return(undefined)
  })

  it('tell what another process wrote, and what was missed', async () => {
    const store = create()
    const elsewhere = createHistory({ store })
    const { api } = await start({ store, pollMs: 20 })
    await elsewhere.thread('old').seed({ role: 'user', content: 'Old.' })
    const first = api.events('/events')
    const [ready] = await until(first, isReady)
    await elsewhere.thread('a').seed({ role: 'user', content: 'One.' })
    const heard = await until(first, isWritten('a', 1))
    expect(heard.map(({ data }) => data.conversation)).not.toContain('old')
    await first.return(undefined)
    await elsewhere.thread('b').seed({ role: 'user', content: 'Two.' })
    const second = api.events('/events', { lastEventId: ready!.id! })
    const missed = await until(second, isReady)
    expect(missed.filter(isWritten('b', 1))).toHaveLength(1)
    await second.return(undefined)
    const strange = api.events('/events', { lastEventId: 'x' })
    expect((await until(strange, isReady))[0]!.event).toBe('reset')
    await strange.return(undefined)
  })
})

it('tells writes of one moment together, and writes what is told once for all who listen', async () => {
  const store = memoryStore()
  const history = createHistory({ store })
  const feeds = createFeeds(() => history, 3_600_000)
  onTestFinished(() => feeds.close())
  const { signal } = new AbortController()
  const listeners = [0, 1].map(() => feeds.listen('default', { mayInspect: true, signal }))
  for (const one of listeners) await one.next()
  const heard = listeners.map(one => one.next())
  for (const name of ['a', 'b']) {
    await history.thread(name).seed({ role: 'user', content: 'One.' })
    for (let writes = 0; writes < 3; writes++)
      feeds.notice({ tenant: 'default', conversation: name, what: 'written' })
  }
  const [first, second] = (await Promise.all(heard)).map(({ value }) => value as readonly object[])
  expect(first).toMatchObject([{ data: { conversation: 'a' } }, { data: { conversation: 'b' } }])
  expect(second!.every((event, at) => event === first![at])).toBe(true)
  async function* all() {
    yield first as never
  }
  const limits = { keepAliveMs: 60_000, unreadMs: 60_000, onEnd() {} }
  const { value } = await eventStream(all(), limits).body!.getReader().read()
  expect(new TextDecoder().decode(value).match(/^event: written$/gm)).toHaveLength(2)
})

it('tell of a write that falls between two looks of a slow store', async () => {
  const store = memoryStore()
  const elsewhere = createHistory({ store })
  let written = () => {}
  const isWrittenNow = new Promise<void>(resolve => {
    written = resolve
  })
  let looks = 0
  const slow: typeof store = {
    ...store,
    async conversations(...given) {
      looks += 1
      await (looks === 1 ? new Promise(resolve => setTimeout(resolve, 100)) : isWrittenNow)
      return store.conversations(...given)
    },
  }
  const server = await startServer({ store: slow, pollMs: 5 })
  const events = apiClient(server.url).events('/events')
  await until(events, isReady)
  await elsewhere.thread('a').seed({ role: 'user', content: 'One.' })
  written()
  expect((await until(events, isWritten('a', 1))).length).toBe(1)
  await events.return(undefined)
})

it('lets only so many listen, and again when one has left', async () => {
  const { url } = await startServer({ store: memoryStore(), maxListeners: 2 })
  const api = apiClient(url)
  const listening = [api.events('/events'), api.events('/events')]
  for (const one of listening) await until(one, isReady)
  const refused = await api.get('/events')
  expect([refused.status, refused.body.error.code]).toEqual([503, 'too_many_listeners'])
  await listening[0]!.return(undefined)
  await expect
    .poll(async () => {
      const response = await api.request('GET', '/events')
      await response.body?.cancel()
      return response.status
    })
    .toBe(200)
  await listening[1]!.return(undefined)
})

it('keeps a silent stream open with comments, and tells of a client that left', async () => {
  let hasLeft = false
  async function* silent() {
    yield { event: 'first', data: { type: 'first' } }
    await new Promise(() => {})
  }
  const response = eventStream(silent(), {
    ...{ keepAliveMs: 5, unreadMs: 120_000 },
    onEnd() {
      hasLeft = true
    },
  })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader.read()).value).toBe('event: first\ndata: {"type":"first"}\n\n')
  expect((await reader.read()).value).toBe(':\n\n')
  await reader.cancel()
  expect(hasLeft).toBe(true)
})
