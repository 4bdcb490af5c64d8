import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { holdFile, killAll } from '@throughline/stores/fixtures'
import { sqliteStore } from '@throughline/stores/sqlite'
import { fill, smallDisk, unmountAll, whyNoMounts } from '@throughline/test-tools/mounts'
import { startServer } from '@throughline/test-tools/start-server'
import { afterAll, afterEach, describe, expect, it, onTestFinished } from 'vitest'
import type { ServerOptions } from '../src/create-server.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'
import { faces } from './faces.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-store-faults-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(killAll)
afterEach(unmountAll)
let files = 0

const stored = 'x-throughline-stored'

/** A server on a file, whose model says how often it was asked, and waits before the end of its reply where it is told to. */
async function start(
  { busyMs = 5000, ...options }: Partial<ServerOptions> & { readonly busyMs?: number } = {},
  path = join(folder, `${++files}.db`),
) {
  const store = sqliteStore({ path, busyMs })
  await store.migrate()
  let asked = 0
  let goOn = () => {}
  const upstream = {
    ...readerUpstream(),
    model: () => ({
      name: 'm',
      window: async () => 200_000,
      async *stream({
        messages,
      }: {
        readonly messages: readonly { readonly content?: unknown }[]
      }) {
        yield { type: 'text-delta', text: `Answer ${++asked}.` } as const
        if (messages.at(-1)!.content === 'wait')
          await new Promise<void>(resolve => {
            goOn = resolve
          })
        yield { type: 'end', reason: 'stop', usage: {} } as const
      },
    }),
  }
  const server = await startServer({ store, upstream, storeWaitMs: 50, ...options })
  onTestFinished(() => store.close())
  const send = (way: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${server.url}${way}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'm', ...body }),
    })
  const { chat } = faces
  const ask = (texts: readonly string[], more: object = {}) =>
    send(chat.path, { ...chat.body(texts), ...more })
  const readiness = async () => {
    const response = await fetch(`${server.url}/health/readiness`)
    return [response.status, ((await response.json()) as { store: string }).store]
  }
  /** All that the log has, a conversation's branches in turn. */
  const logged = async () => {
    const { history } = server
    const texts: string[] = []
    for (const { conversation, threads } of await history.conversations())
      for (const { branch } of threads)
        texts.push(
          (await history.thread(conversation, { branch }).display())
            .map(({ content }) => content)
            .join(' / '),
        )
    return texts
  }
  return {
    ...server,
    path,
    store,
    send,
    ask,
    readiness,
    logged,
    asked: () => asked,
    goOn: () => goOn(),
  }
}

/** What a client may read of a fault: nothing of where or how the log is kept. */
async function refusalOf(response: Response) {
  const text = await response.text()
  expect(text).not.toMatch(
    /\.db|sqlite|SQLITE|postgres|PostgreSQL|tmp|PG[A-Z]+|\burl\b|driver|127\.0/i,
  )
  return [response.status, response.headers.get(stored)]
}

describe('while another process holds the file', () => {
  // A write that was given up is done later, or is refused before.
  it.each([
    ['chat', 5000],
    ['messages', 20],
    ['responses', 5000],
    ['ollama', 20],
    ['gemini', 20],
  ] as const)(
    'a whole list is answered unstored, and the next brings what was missed, once: %s, %i ms',
    async (name, busyMs) => {
      const { path, send, asked, logged } = await start({ busyMs })
      const { path: way, body, textOf } = faces[name]
      const ask = async (...texts: string[]) => {
        const response = await send(way, body(texts))
        expect(response.status).toBe(200)
        return { text: textOf((await response.json()) as never), response }
      }
      expect((await ask('one')).text).toBe('Answer 1.')
      const holder = await holdFile('write', path)
      const { text, response } = await ask('one', 'Answer 1.', 'two')
      expect([text, response.headers.get(stored)]).toEqual(['Answer 2.', 'no'])
      expect(response.headers.get('x-throughline-conversation')).toBeNull()
      expect(response.headers.get('x-throughline-kept')).toBe('3')
      await holder.kill()
      const after = await ask('one', 'Answer 1.', 'two', 'Answer 2.', 'three')
      expect([after.text, after.response.headers.get(stored)]).toEqual(['Answer 3.', null])
      expect(await logged()).toEqual(['one / Answer 1. / two / Answer 2. / three / Answer 3.'])
      expect(asked()).toBe(3)
    },
  )

  it.each(Object.keys(faces) as (keyof typeof faces)[])(
    'a request that needs the log is refused, and the model is not asked: %s',
    async name => {
      const { path, send, asked } = await start()
      const { path: way, body } = faces[name]
      const named = { 'x-throughline-conversation': 'kitchen' }
      const first = await send(way, body(['one']), named)
      const { id } = (await first.json()) as { readonly id?: string }
      await holdFile('write', path)
      expect(await refusalOf(await send(way, body(['two']), named))).toEqual([503, null])
      if (name === 'responses')
        expect(
          await refusalOf(await send(way, { input: 'two', previous_response_id: id })),
        ).toEqual([503, null])
      expect(asked()).toBe(1)
      // A name alone does not make a list less whole.
      expect((await send(way, body(['one', 'Answer 1.', 'two']), named)).headers.get(stored)).toBe(
        'no',
      )
    },
  )

  it('useChat, which sends its newest message, is refused', async () => {
    const { path, send, asked } = await start()
    const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'one' }] }
    await holdFile('write', path)
    const chat = { id: 'kitchen', trigger: 'submit-message', messages: [message] }
    expect(await refusalOf(await send('/throughline/v1/ui-chat', chat))).toEqual([503, null])
    expect(asked()).toBe(0)
  })

  it('a whole list is refused too where the operator says so', async () => {
    const { path, ask, asked } = await start({ onStoreFault: 'refuse' })
    await holdFile('write', path)
    expect(await refusalOf(await ask(['one']))).toEqual([503, null])
    expect(asked()).toBe(0)
  })

  it('a reply that is being written comes to its end, and no turn stays in the way', async () => {
    const { path, ask, goOn, logged } = await start()
    const response = await ask(['wait'], { stream: true })
    const holder = await holdFile('write', path)
    const whole = response.text()
    goOn()
    expect(await whole).toContain('[DONE]')
    await holder.kill()
    await expect
      .poll(async () =>
        (await ask(['wait', 'Answer 1.', 'next'])).headers.get('x-throughline-branch'),
      )
      .toBe('main')
    const [main] = await logged()
    expect(main).toMatch(/^wait \/ Answer 1\. \/ next \/ Answer \d+\.$/)
  })

  it('other requests, streams and the health of the server go on', async () => {
    const { path, url, ask, goOn } = await start()
    const response = await ask(['wait'], { stream: true })
    await holdFile('write', path)
    const waiting = Array.from({ length: 8 }, (_, at) => ask([`question ${at}`]))
    expect((await fetch(`${url}/health`)).status).toBe(200)
    expect((await fetch(`${url}/v1/models`)).status).toBe(200)
    expect((await fetch(`${url}/throughline/v1/conversations`)).status).toBe(200)
    for (const one of await Promise.all(waiting)) expect(one.headers.get(stored)).toBe('no')
    goOn()
    expect(await response.text()).toContain('[DONE]')
  })

  it('the server is not ready, whoever asks', async () => {
    const { path, readiness } = await start()
    expect(await readiness()).toEqual([200, 'ok'])
    const holder = await holdFile('write', path)
    expect(await Promise.all([readiness(), readiness()])).toEqual([
      [503, 'away'],
      [503, 'away'],
    ])
    await holder.kill()
    await expect.poll(readiness).toEqual([200, 'ok'])
  })

  it('the log of the server and its metrics say what became of a request, and why', async () => {
    const { path, url, ask, served } = await start()
    await holdFile('write', path)
    await (await ask(['one'])).json()
    expect(served).toMatchObject([{ unstored: { code: 'store_unavailable' } }])
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain('throughline_unstored_total{adapter="openai",upstream="reader"} 1\n')
  })
})

it('a log that is closed stops no whole list, and the API and MCP name neither its file nor its driver', async () => {
  const { url, store, ask, served } = await start()
  await (await ask(['one'])).json()
  await store.close()
  const whole = await ask(['one', 'Answer 1.', 'two'])
  expect([whole.status, whole.headers.get(stored)]).toEqual([200, 'no'])
  await whole.json()
  // The operator reads what clients do not.
  expect(served.at(-1)?.unstored?.failure).toContain('.db')
  expect(await refusalOf(await fetch(`${url}/throughline/v1/conversations`))).toEqual([503, null])
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_conversations', arguments: {} },
  }
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(call),
  })
  expect(await answer.clone().text()).toContain('The log cannot be used at the moment')
  expect(await refusalOf(answer)).toEqual([200, null])
})

const reason = whyNoMounts()
if (reason) console.warn(`Not tested on a full disk: ${reason}`)
describe.skipIf(reason)('on a full disk', () => {
  it('a whole list is answered, one that needs the log is refused, and what was missed is stored when there is room', async () => {
    const disk = smallDisk('3m')
    const { ask, send, logged, readiness } = await start({}, join(disk, 'log.db'))
    await (await ask(['one'])).json()
    const makeRoom = fill(disk)
    // What the file has room for is still stored.
    const long = 'x'.repeat(200_000)
    const full = await ask(['one', 'Answer 1.', long])
    expect([full.status, full.headers.get(stored)]).toEqual([200, 'no'])
    const { path: way, body } = faces.chat
    const named = { 'x-throughline-conversation': 'kitchen' }
    expect(await refusalOf(await send(way, body([long]), named))).toEqual([503, null])
    expect((await readiness())[1]).toMatch(/^(ok|away)$/)
    makeRoom()
    await (await ask(['one', 'Answer 1.', long, 'Answer 2.', 'three'])).json()
    expect(await logged()).toEqual([`one / Answer 1. / ${long} / Answer 2. / three / Answer 3.`])
    expect(await readiness()).toEqual([200, 'ok'])
  })
})
