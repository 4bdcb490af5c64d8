import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Model } from '@throughline/models/model'
import { sleep } from '@throughline/models/waiting'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it, onTestFinished, vi } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'
import type { Upstream } from '../src/upstream/upstream.ts'

const adapters = [
  ['/api/chat', 'error'],
  ['/v1/chat/completions', 'error.message'],
  ['/v1/messages', 'error.message'],
] as const

const hello = { model: 'reader', max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] }

const post = (url: string, body: string, signal?: AbortSignal) =>
  fetch(url, { method: 'POST', body, ...(signal && { signal }) })

const isAlive = async (url: string) => expect((await fetch(`${url}/health`)).status).toBe(200)

it.each(adapters)(
  'refuses a body of 200 MB at %s without reading it, in its own words',
  async (path, words) => {
    const { url } = await startServer()
    const piece = Buffer.alloc(1024 ** 2, 'a')
    let sent = 0
    const status = await new Promise<{ status: number | undefined; body: string }>(
      (resolve, reject) => {
        const asked = httpRequest(`${url}${path}`, {
          method: 'POST',
          headers: { 'content-length': 200 * piece.length },
        })
        let isAnswered = false
        asked.on('response', async response => {
          isAnswered = true
          let body = ''
          for await (const chunk of response) body += String(chunk)
          asked.destroy()
          resolve({ status: response.statusCode, body })
        })
        // A server that has answered may close while the client still sends.
        asked.on('error', error => (isAnswered ? undefined : reject(error)))
        const write = () => {
          while (!isAnswered && sent < 200) {
            sent += 1
            if (!asked.write(piece)) return void asked.once('drain', write)
          }
        }
        write()
      },
    )
    expect(status.status).toBe(413)
    expect(JSON.parse(status.body)).toHaveProperty(words, expect.stringContaining('maxBody'))
    expect(sent).toBeLessThan(200)
    await isAlive(url)
  },
)

it.each(adapters)(
  'refuses a body at %s that grows past the limit and never said how long it is',
  async path => {
    const { url } = await startServer({ maxBodyBytes: 100_000 })
    const endless = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(new Uint8Array(10_000).fill(0x20)),
    })
    const init = { method: 'POST', body: endless, duplex: 'half' } as RequestInit
    const { status } = await fetch(`${url}${path}`, init)
    expect(status).toBe(413)
    await isAlive(url)
  },
)

it.each(adapters)('refuses JSON at %s that is 100,000 levels deep', async (path, words) => {
  const { url } = await startServer()
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const deep = `${open.repeat(100_000)}1${close.repeat(100_000)}`
    for (const body of [
      deep,
      `{"model":"reader","messages":${deep}}`,
      `{"messages":[{"content":${deep}}]}`,
    ]) {
      const response = await post(`${url}${path}`, body)
      expect(response.status).toBe(400)
      expect(await response.json()).toHaveProperty(words, expect.stringContaining('100 levels'))
    }
  }
  await isAlive(url)
})

it('counts no brackets inside of texts', async () => {
  const { url } = await startServer({ upstream: readerUpstream({ window: 32_768 }) })
  for (const content of ['['.repeat(500), `\\"${'{'.repeat(500)}\\\\`, `"${'[,'.repeat(3000)}`]) {
    const body = JSON.stringify({ ...hello, messages: [{ role: 'user', content }] })
    expect((await post(`${url}/v1/chat/completions`, body)).status).toBe(200)
  }
})

it.each(adapters)(
  'refuses too many messages at %s, and a body that is nothing but values',
  async (path, words) => {
    const { url } = await startServer({ maxMessages: 10 })
    const messages = Array.from({ length: 11 }, (_, at) => ({
      role: at % 2 ? 'assistant' : 'user',
      content: `${at}`,
    }))
    for (const body of [
      JSON.stringify({ ...hello, messages }),
      `{"model":"reader","messages":[${'{},'.repeat(500)}{}]}`,
    ]) {
      const response = await post(`${url}${path}`, body)
      expect(response.status).toBe(400)
      expect(await response.json()).toHaveProperty(words, expect.stringContaining('maxMessages'))
    }
    expect(
      (await post(`${url}${path}`, JSON.stringify({ ...hello, messages: messages.slice(0, 9) })))
        .status,
    ).toBe(200)
  },
)

it('refuses a body with very many names of fields, wherever they stand', async () => {
  const { url } = await startServer()
  const names = (length: number, of = '') =>
    Object.fromEntries(Array.from({ length }, (_, at) => [`${of}name${at}`, at]))
  for (const body of [
    { ...hello, metadata: names(60_000) },
    { ...hello, things: Array.from({ length: 600 }, (_, at) => names(100, `of${at}`)) },
  ]) {
    const response = await post(`${url}/v1/chat/completions`, JSON.stringify(body))
    expect(response.status).toBe(400)
    expect(await response.json()).toHaveProperty(
      'error.message',
      expect.stringContaining('names of fields'),
    )
  }
  // The same names in every message are few.
  const messages = Array.from({ length: 30_001 }, (_, at) => ({
    role: at % 2 ? 'assistant' : 'user',
    content: 'x',
  }))
  const counted = JSON.stringify({ model: 'reader', messages, max_tokens: 1 })
  expect((await post(`${url}/v1/messages/count_tokens`, counted)).status).toBe(200)
})

it('refuses metadata that OpenAI would refuse tenfold: too many fields, or too large', async () => {
  const { url } = await startServer()
  const many = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`name${at}`, 'x']))
  for (const metadata of [many, { name: 'x'.repeat(70_000) }]) {
    const asked = [
      post(`${url}/v1/responses`, JSON.stringify({ ...hello, input: 'hello', metadata })),
      post(`${url}/v1/conversations`, JSON.stringify({ metadata })),
    ]
    for (const response of await Promise.all(asked)) {
      expect(response.status).toBe(400)
      expect(await response.json()).toHaveProperty('error.param', 'metadata')
    }
  }
})

/** An upstream whose model talks until it is stopped. */
function talker({ pieces = Number.POSITIVE_INFINITY, piece = 'word ' } = {}) {
  const said = { pieces: 0, calls: 0, stopped: 0 }
  const model = (name: string): Model => ({
    name,
    window: async () => 4096,
    async *stream({ signal = new AbortController().signal }) {
      said.calls += 1
      const stopped = new Promise<void>(resolve =>
        signal.addEventListener('abort', () => resolve()),
      )
      signal.addEventListener('abort', () => {
        said.stopped += 1
      })
      for (let at = 0; at < pieces; at++) {
        said.pieces += 1
        yield { type: 'text-delta', text: piece }
        await new Promise(resolve => setImmediate(resolve))
      }
      yield { type: 'text-delta', text: 'the end' }
      await stopped
      signal.throwIfAborted()
    },
  })
  const upstream: Upstream = { ...readerUpstream(), model }
  return { upstream, said }
}

const streamed = JSON.stringify({ ...hello, stream: true })

it.each(adapters)('stops the upstream when a client of %s leaves', async path => {
  const { upstream, said } = talker({ pieces: 3 })
  const { url, served } = await startServer({ upstream })
  const leaving = new AbortController()
  const { body } = await post(`${url}${path}`, streamed, leaving.signal)
  await body!.getReader().read()
  leaving.abort()
  await expect.poll(() => said.stopped).toBe(1)
  await expect.poll(() => served[0]?.answered?.result.status).toBe('cancelled')
})

it('takes only so many replies at once, and says when to come back', async () => {
  const { upstream, said } = talker({ pieces: 1 })
  const { url } = await startServer({ upstream, maxStreams: 2 })
  const leaving = new AbortController()
  const held = await Promise.all(
    [1, 2].map(() => post(`${url}/api/chat`, streamed, leaving.signal)),
  )
  expect(held.map(({ status }) => status)).toEqual([200, 200])
  for (const [path, words] of adapters) {
    const refused = await post(`${url}${path}`, streamed)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toHaveProperty(words, expect.stringContaining('maxStreams'))
  }
  expect((await post(`${url}/v1/embeddings`, '{}')).status).toBe(503)
  expect((await fetch(`${url}/api/tags`)).status).toBe(200)
  leaving.abort()
  await expect.poll(() => said.stopped).toBe(2)
  await expect
    .poll(async () => (await post(`${url}/api/show`, JSON.stringify({ model: 'reader' }))).status)
    .toBe(200)
})

/** A client that sends a request and never reads the answer. */
async function deafClient(url: string, path: string, body = streamed): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.pause()
  socket.on('error', () => {})
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  return socket
}

it.each([
  ['of an adapter', '/v1/chat/completions', streamed],
  ['of the API', '/throughline/v1/conversations/a/send', '{"input":"Hello."}'],
])(
  'makes no more than a client %s reads, and cuts off one that never does',
  async (_, path, body) => {
    const piece = 'x'.repeat(20_000)
    const { upstream, said } = talker({ piece })
    const printed = vi.spyOn(console, 'error')
    onTestFinished(() => void vi.restoreAllMocks())
    const { url, served } = await startServer({ upstream, unreadMs: 1500 })
    await deafClient(url, path, body)
    // A model that were not held up would go on for ever: only a write that waits is given up.
    await expect.poll(() => said.stopped).toBe(1)
    // What lies in the buffers of the system and of the stream.
    expect(said.pieces).toBeGreaterThan(0)
    expect(said.pieces * piece.length).toBeLessThan(20e6)
    await expect.poll(() => served[0]?.answered?.result.status).toBeDefined()
    expect(printed).not.toHaveBeenCalled()
  },
)

it('closes connections whose request does not come to its end', async () => {
  const { url } = await startServer({ requestTimeoutMs: 1000 })
  const { hostname, port } = new URL(url)
  const slow = [
    'POST /api/chat HTTP/1.1\r\nhost: 127.0.0.1\r\n',
    'POST /api/chat HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000\r\n\r\n{"model"',
  ]
  const closed = slow.map(async text => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.resume()
    socket.write(text)
    await once(socket, 'close')
    return 'closed'
  })
  expect(await Promise.all(closed)).toEqual(['closed', 'closed'])
  await isAlive(url)
})

it('answers beside thousands of connections that say nothing', async () => {
  const { url } = await startServer()
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (let batch = 0; batch < 20; batch++) {
    const some = Array.from({ length: 100 }, () => connect(Number(port), hostname))
    sockets.push(...some)
    await Promise.all(some.map(socket => once(socket, 'connect')))
  }
  expect((await post(`${url}/v1/chat/completions`, JSON.stringify(hello))).status).toBe(200)
  expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([])
})

it('sends signs of life in a silent stream, as often as it is told to', async () => {
  const model: Model = {
    name: 'm',
    window: async () => 4096,
    async *stream({ signal }) {
      yield { type: 'text-delta', text: 'Hm.' }
      await sleep(60_000, signal)
    },
  }
  const { url } = await startServer({
    upstream: { ...readerUpstream(), model: () => model },
    keepAliveMs: 30,
  })
  const bodies = {
    '/v1/chat/completions': {
      model: 'm',
      messages: [{ role: 'user', content: 'a' }],
      stream: true,
    },
    '/throughline/v1/ui-chat': {
      id: 'a',
      messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'a' }] }],
    },
    '/throughline/v1/conversations/b/send': { input: 'a' },
  }
  for (const [path, body] of Object.entries(bodies)) {
    const leaving = new AbortController()
    const options = { method: 'POST', body: JSON.stringify(body), signal: leaving.signal }
    const { body: stream } = await fetch(`${url}${path}`, options)
    let text = ''
    for await (const chunk of stream!) {
      text += Buffer.from(chunk).toString()
      if (text.split(':\n\n').length > 3) break
    }
    expect(text).toContain('Hm.')
    leaving.abort()
  }
})
