import { createHistory } from '@throughline/history'
import type { Model } from '@throughline/models/model'
import { postgresStore } from '@throughline/stores/postgres'
import { describePostgres } from '@throughline/test-tools/postgres'
import { startServer } from '@throughline/test-tools/start-server'
import { startTcpProxy } from '@throughline/test-tools/tcp-proxy'
import OpenAI from 'openai'
import { expect, it, onTestFinished } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

type StartOptions = Parameters<typeof startServer>[0] & { readonly timeoutMs?: number }

describePostgres('a database that is slow', postgres => {
  let count = 0
  /** A server whose database answers as late as it is told to, and is given up after a time. */
  async function start({ timeoutMs = 2000, ...options }: StartOptions = {}) {
    const proxy = await startTcpProxy(postgres.url)
    const schema = `slow_${count++}`
    const url = new URL(postgres.url)
    const straight = postgresStore({ url: url.href, schema })
    url.host = `127.0.0.1:${proxy.port}`
    const store = postgresStore({ url: url.href, schema, timeoutMs })
    let asked = 0
    let goOn = () => {}
    const model = (): Model => ({
      name: 'm',
      window: async () => 8192,
      async *stream({ messages }) {
        yield { type: 'text-delta', text: `Answer ${++asked}.` }
        if (messages.at(-1)!.content === 'wait')
          await new Promise<void>(resolve => {
            goOn = resolve
          })
        yield { type: 'end', reason: 'stop', usage: {} }
      },
    })
    const upstream = { ...readerUpstream(), model }
    const server = await startServer({ store, upstream, ...options })
    onTestFinished(async () => {
      await store.close()
      await straight.close()
      await proxy.stop()
    })
    const ask = (content: string, stream = false, retry = 0) =>
      fetch(`${server.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'x-throughline-conversation': 'kitchen',
          'x-stainless-retry-count': String(retry),
        },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content }], stream }),
      })
    const history = createHistory({ store: straight })
    const said = async () =>
      (await history.thread('kitchen').display()).map(({ content }) => content)
    return { url: server.url, proxy, history, ask, said, asked: () => asked, goOn: () => goOn() }
  }

  it('costs time, and nothing else', async () => {
    const { url, proxy, ask, said } = await start({ timeoutMs: 60_000 })
    await ask('a')
    proxy.delay(40)
    expect((await ask('b')).status).toBe(200)
    expect(await (await ask('c', true)).text()).toContain('[DONE]')
    expect((await fetch(`${url}/health/readiness`)).status).toBe(200)
    expect(await said()).toEqual(['a', 'Answer 1.', 'b', 'Answer 2.', 'c', 'Answer 3.'])
  })

  it('is said to be away where it takes too long, to each who asks, within the limits', async () => {
    const { url, proxy, history, ask, said, asked } = await start({ maxStreams: 4 })
    await ask('a')
    proxy.delay(60_000)
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask('b')))
    const errors = await Promise.all(
      answers.map(async one => (await one.json()).error.code as string),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(503))
    expect(errors.filter(code => code === 'server_busy')).toHaveLength(4)
    expect(errors.filter(code => code === 'store_unavailable')).toHaveLength(4)
    // What needs no database goes on.
    expect((await fetch(`${url}/v1/models`)).status).toBe(200)
    expect((await fetch(`${url}/health`)).status).toBe(200)
    const readiness = await fetch(`${url}/health/readiness`)
    expect(readiness.status).toBe(503)
    expect(await readiness.json()).toMatchObject({ status: 'away', store: 'away', upstream: 'ok' })
    const listed = await fetch(`${url}/throughline/v1/conversations`)
    expect(listed.status).toBe(503)
    expect((await listed.json()).error.code).toBe('store_unavailable')
    expect(asked()).toBe(1)

    proxy.delay(0)
    expect((await ask('c')).status).toBe(200)
    expect((await fetch(`${url}/health/readiness`)).status).toBe(200)
    expect(await said()).toEqual(['a', 'Answer 1.', 'c', 'Answer 2.'])
    expect(await history.check()).toEqual([])
  })

  it('is asked again by the client of OpenAI, and has the turn once', async () => {
    const { url, proxy, history } = await start({ onStoreFault: 'refuse' })
    /** The database comes back after the first refusal. */
    const returning: typeof fetch = async (...given) => {
      const response = await fetch(...given)
      proxy.delay(0)
      return response
    }
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', fetch: returning })
    const messages = [{ role: 'user' as const, content: 'hello' }]
    proxy.delay(60_000)
    const asked = await client.chat.completions.create({ model: 'm', messages })
    expect(asked.choices[0]!.message.content).toMatch(/^Answer/)
    const [found, ...others] = await history.conversations()
    expect(others).toEqual([])
    expect(found!.threads).toMatchObject([{ branch: 'main', head: 2 }])
  })

  it('fails a reply whose end it does not take, in words that the client understands', async () => {
    const { proxy, history, ask, said, goOn } = await start()
    await ask('a')
    const response = await ask('wait', true)
    proxy.delay(60_000)
    goOn()
    const text = await response.text()
    expect(text).not.toContain('[DONE]')
    expect(text).toMatch(/outcome_unknown|store_unavailable/)
    proxy.delay(0)
    // The database had taken it: only its word did not come.
    const { choices } = await (await ask('wait', false, 1)).json()
    expect(choices[0].message.content).toBe('Answer 2.')
    expect(await said()).toEqual(['a', 'Answer 1.', 'wait', 'Answer 2.'])
    expect(await history.check()).toEqual([])
  })
})
