import { type Model, ModelError } from '@throughline/models/model'
import { rules } from '@throughline/models/reader'
import type { Store } from '@throughline/stores/store'
import { everyStore } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'
import type { Upstream } from '../src/upstream/upstream.ts'

/** A model that answers when it is told to, and counts how often it was asked. */
function heldModel() {
  let asked = 0
  let go!: () => void
  const held = new Promise<void>(resolve => {
    go = resolve
  })
  const failures: Error[] = []
  const model: Model = rules(async () => {
    const own = ++asked
    await held
    const failure = failures.shift()
    if (failure) throw failure
    return `Answer ${own}`
  })
  const upstream: Upstream = {
    ...readerUpstream(),
    model: name => ({ ...model, name, window: async () => 4096 }),
  }
  onTestFinished(() => go())
  return { upstream, failures, go, asked: () => asked }
}

const bodies: Readonly<Record<string, (stream: boolean) => readonly [path: string, body: object]>> =
  {
    ollama: stream => ['/api/chat', { stream, messages: [{ role: 'user', content: 'hello' }] }],
    openai: stream => [
      '/v1/chat/completions',
      { stream, messages: [{ role: 'user', content: 'hello' }] },
    ],
    responses: stream => ['/v1/responses', { stream, input: 'hello' }],
    messages: stream => [
      '/v1/messages',
      { stream, max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] },
    ],
  }

interface ToAsk {
  readonly adapter?: string
  readonly path?: string
  readonly stream?: boolean
  readonly key?: string
  readonly signal?: AbortSignal
  readonly messages?: readonly object[]
}

async function ask(
  url: string,
  { adapter = 'openai', path = '', stream = false, key = 'k', ...given }: ToAsk = {},
) {
  const [at, body] = bodies[adapter]!(stream)
  const { signal, messages } = given
  const response = await fetch(`${url}${path}${at}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ model: 'm', ...body, ...(messages && { messages }) }),
    ...(signal && { signal }),
  })
  const text = await response.text()
  return { status: response.status, text, answers: [...new Set(text.match(/Answer \d+/g))] }
}

/** What the log has: the messages of every branch of every conversation. */
async function linesIn({ history }: Awaited<ReturnType<typeof startServer>>) {
  const lines: unknown[][] = []
  for (const { conversation, threads } of await history.conversations())
    for (const { branch } of threads)
      lines.push(
        (await history.thread(conversation, { branch }).display()).map(({ content }) => content),
      )
  return lines
}

describe.each(['', '/c/kitchen'])('the same request with the same key, at "%s"', path => {
  it.each(Object.keys(bodies))(
    'waits for the first and gets its answer, streamed or whole: %s',
    async adapter => {
      const held = heldModel()
      const server = await startServer({ upstream: held.upstream })
      // At the same moment, and while the model is at work.
      const first = [false, true].map(stream => ask(server.url, { adapter, path, stream }))
      await expect.poll(held.asked).toBe(1)
      const later = [true, false].map(stream => ask(server.url, { adapter, path, stream }))
      held.go()
      for (const { status, answers, text } of await Promise.all([...first, ...later]))
        expect({ status, answers, text }).toEqual({ status: 200, answers: ['Answer 1'], text })
      expect(held.asked()).toBe(1)
      expect(await linesIn(server)).toEqual([['hello', 'Answer 1']])
    },
  )

  it('gets a try of its own if the first fails', async () => {
    const held = heldModel()
    held.failures.push(
      new ModelError('model_refused', 'The model does not want to.', { status: 400 }),
    )
    const server = await startServer({ upstream: held.upstream, retries: 0 })
    const both = [1, 2].map(() => ask(server.url, { path }))
    await expect.poll(held.asked).toBe(1)
    held.go()
    const came = await Promise.all(both)
    expect(came.map(({ status }) => status).toSorted()).toEqual([200, 400])
    expect(came.flatMap(({ answers }) => answers)).toEqual(['Answer 2'])
    expect(await server.history.conversations()).toHaveLength(1)
  })

  it('gets the answer that it got when it went on with a turn that failed under another key', async () => {
    const held = heldModel()
    held.go()
    held.failures.push(new ModelError('model_unavailable', 'It is down.', { status: 503 }))
    const server = await startServer({ upstream: held.upstream, retries: 0 })
    expect((await ask(server.url, { path, key: 'k1' })).status).toBe(503)
    for (const key of ['k2', 'k2', 'k1', 'k2'])
      expect([key, (await ask(server.url, { path, key })).answers]).toEqual([key, ['Answer 2']])
    expect(held.asked()).toBe(2)
    expect(await linesIn(server)).toEqual([['hello', 'Answer 2']])
  })

  it('gets its answer also after its message was erased', async () => {
    const held = heldModel()
    held.go()
    const server = await startServer({ upstream: held.upstream })
    await ask(server.url, { path })
    const [{ conversation } = { conversation: '' }] = await server.history.conversations()
    await server.history.thread(conversation).erase(1)
    expect((await ask(server.url, { path })).answers).toEqual(['Answer 1'])
    expect(held.asked()).toBe(1)
  })

  it('stops waiting when its client leaves', async () => {
    const held = heldModel()
    const server = await startServer({ upstream: held.upstream })
    const first = ask(server.url, { path })
    await expect.poll(held.asked).toBe(1)
    const left = new AbortController()
    const second = ask(server.url, { path, signal: left.signal }).catch(() => 'left')
    const metrics = async () => (await fetch(`${server.url}/metrics`)).text()
    await expect.poll(metrics).toContain('throughline_open_replies 2')
    left.abort()
    expect(await second).toBe('left')
    await expect.poll(() => server.served.length).toBe(1)
    held.go()
    expect((await first).answers).toEqual(['Answer 1'])
    expect(held.asked()).toBe(1)
  })

  it('is refused where it says something else', async () => {
    const held = heldModel()
    held.go()
    const server = await startServer({ upstream: held.upstream })
    await ask(server.url, { path })
    const other = await ask(server.url, { path, messages: [{ role: 'user', content: 'goodbye' }] })
    expect(other).toMatchObject({ status: 422, answers: [] })
  })
})

it('begins another conversation where that of its key was deleted', async () => {
  const held = heldModel()
  held.go()
  const server = await startServer({ upstream: held.upstream })
  await ask(server.url)
  const [{ conversation } = { conversation: '' }] = await server.history.conversations()
  await server.store.deleteConversation('default', conversation)
  expect((await ask(server.url)).answers).toEqual(['Answer 2'])
  expect(await linesIn(server)).toEqual([['hello', 'Answer 2']])
})

/** Two servers that know nothing of each other but their store. */
describe.each(await everyStore())(
  'the same request at two servers on one store: %s',
  (_, create) => {
    const past = [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'Good day.' },
      { role: 'user', content: 'and now?' },
    ]
    it.each([
      ['unnamed', '', undefined],
      ['unnamed, with a past that is new here', '', past],
      ['named', '/c/kitchen', undefined],
    ])('is answered once: %s', async (_, path, messages) => {
      const held = heldModel()
      const store: Store = create()
      const servers = [
        await startServer({ store, upstream: held.upstream }),
        await startServer({ store, upstream: held.upstream }),
      ]
      const all = [0, 1, 0, 1].map(at =>
        ask(servers[at]!.url, { path, ...(messages && { messages }) }),
      )
      await expect.poll(held.asked).toBe(1)
      held.go()
      for (const { status, answers, text } of await Promise.all(all))
        expect({ status, answers, text }).toEqual({ status: 200, answers: ['Answer 1'], text })
      expect(held.asked()).toBe(1)
      expect(await linesIn(servers[0]!)).toHaveLength(1)
    })

    it('is answered once where it leaves the conversation for a branch', async () => {
      const held = heldModel()
      held.go()
      const store: Store = create()
      const servers = [
        await startServer({ store, upstream: held.upstream }),
        await startServer({ store, upstream: held.upstream }),
      ]
      const list = (last: string) => [...past.slice(0, 2), { role: 'user', content: last }]
      await ask(servers[0]!.url, { key: 'a', messages: list('and now?') })
      const messages = list('and then?')
      const all = [0, 1, 0, 1].map(at => ask(servers[at]!.url, { key: 'b', messages }))
      for (const { status, answers } of await Promise.all(all))
        expect({ status, answers }).toEqual({ status: 200, answers: ['Answer 2'] })
      expect(held.asked()).toBe(2)
      expect(await linesIn(servers[0]!)).toHaveLength(2)
    })
  },
)
