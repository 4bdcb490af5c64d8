import { request } from 'node:http'
import { connect } from 'node:net'
import { startUpstream, type UpstreamAnswer } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openaiUpstream } from '../src/upstream/model-servers.ts'
import { chatPair } from './native/chat-pair.ts'
import { messagesPair } from './native/messages-pair.ts'
import { ollamaPair } from './native/ollama-pair.ts'
import type { Pair } from './native/pair.ts'
import { responsesPair } from './native/responses-pair.ts'

const pairs = [chatPair, messagesPair, ollamaPair, responsesPair]

/** What no server may say of a request for a reply: redirects, "not modified", and numbers that HTTP does not have. */
const unsound = [301, 302, 303, 304, 307, 308, 600, 999]

const bodyOf = ({ list, question }: Pair, stream: boolean) =>
  JSON.stringify({ model: 'm', max_tokens: 99, stream, [list]: [question('Is it there?')] })

/** An upstream that answers a request with a status, and one to which its redirects lead. */
async function startOdd(status: () => number, open: (url: string) => ReturnType<Pair['upstream']>) {
  const elsewhere = await startUpstream(() => ({ status: 200, body: { stolen: true } }))
  const upstream = await startUpstream(
    ({ path }): UpstreamAnswer =>
      /chat|messages|responses|embed|tags|models|completions/.test(path)
        ? { status: status(), headers: { location: `${elsewhere.url}/stolen` }, body: undefined }
        : { status: 404 },
  )
  onTestFinished(upstream.close)
  onTestFinished(elsewhere.close)
  const server = await startServer({ upstream: open(upstream.url), window: 8192 })
  return { ...server, elsewhere, upstream }
}

describe('an upstream whose status is no sound answer', () => {
  const ask = async (url: string, init: RequestInit = {}) => {
    const response = await fetch(url, { ...init, redirect: 'manual' })
    return {
      status: response.status,
      at: response.headers.get('location'),
      text: await response.text(),
    }
  }

  it.each([
    ...pairs.map(pair => [pair.name, pair, pair.upstream] as const),
    ...[messagesPair, ollamaPair, responsesPair].map(
      pair =>
        [
          `${pair.path} → chat`,
          pair,
          (url: string) => openaiUpstream({ url, window: 8192 }),
        ] as const,
    ),
  ])('is an upstream at fault: %s', async (_, pair, open) => {
    let status = 0
    const { url, elsewhere } = await startOdd(
      () => status,
      address => open(address, 8192),
    )
    for (const stream of [true, false])
      for (status of unsound) {
        const answer = await ask(`${url}${pair.path}`, {
          method: 'POST',
          body: bodyOf(pair, stream),
        })
        expect([status, stream, answer.status, answer.at]).toEqual([status, stream, 502, null])
        expect(answer.text).toContain(String(status))
      }
    expect(elsewhere.requests).toEqual([])
  })

  it.each([
    ['GET', '/v1/models'],
    ['GET', '/v1/models/m'],
    ['POST', '/v1/embeddings'],
    ['POST', '/v1/completions'],
    ['GET', '/c/chat/v1/models'],
  ])('is an upstream at fault where requests are passed on: %s %s', async (method, path) => {
    let status = 0
    const { url, elsewhere } = await startOdd(
      () => status,
      address => openaiUpstream({ url: address, window: 8192, apiKey: 'key-of-the-operator' }),
    )
    const body = method === 'POST' ? { body: '{"model":"m"}' } : {}
    for (status of unsound) {
      const answer = await ask(`${url}${path}`, { method, ...body })
      expect([status, answer.status, answer.at]).toEqual([status, 502, null])
    }
    expect(elsewhere.requests).toEqual([])
  })

  it('may say that nothing has changed to a client that asked so, and may answer without a body', async () => {
    let status = 304
    const { url } = await startOdd(
      () => status,
      address => openaiUpstream({ url: address, window: 8192 }),
    )
    expect((await ask(`${url}/v1/models`, { headers: { 'if-none-match': '"1"' } })).status).toBe(
      304,
    )
    for (status of [204, 205]) {
      const answer = await ask(`${url}/v1/embeddings`, { method: 'POST', body: '{"model":"m"}' })
      expect([answer.status, answer.text]).toEqual([status, ''])
    }
  })
})

describe('a WebSocket', () => {
  /** What comes back on a connection, up to its end. */
  const write = (url: string, lines: readonly string[]) =>
    new Promise<string>(resolve => {
      const { hostname, port } = new URL(url)
      let text = ''
      const socket = connect(Number(port), hostname, () =>
        socket.write(`${lines.join('\r\n')}\r\n\r\n`),
      )
      socket.on('data', piece => (text += String(piece)))
      socket.on('close', () => resolve(text))
      socket.on('error', () => resolve(text))
    })

  it.each(['/v1/responses', '/v1/realtime', '/c/chat/v1/responses'])(
    'is refused with 426: %s',
    async path => {
      const { url } = await startServer()
      const text = await write(url, [
        `GET ${path} HTTP/1.1`,
        `Host: ${new URL(url).host}`,
        ...['Connection: Upgrade', 'Upgrade: WebSocket', 'Sec-WebSocket-Version: 13'],
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ])
      expect(text).toMatch(/^HTTP\/1\.1 426 /)
      expect(text).toMatch(/^upgrade: HTTP\/1\.1\r$/im)
      expect(text).toContain('send the same request by HTTP')
    },
  )

  it('is not what a client wants that offers HTTP/2', async () => {
    const { url } = await startServer()
    const text = await write(url, [
      'GET /health HTTP/1.1',
      `Host: ${new URL(url).host}`,
      ...['Connection: Upgrade, close', 'Upgrade: h2c'],
    ])
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
  })
})

it.each([
  '127.0.0.256',
  '127.0.0.08',
  '127.999.0.1:80',
  '127.0.0.1:99999',
  'localhost:70000',
  '[::1]:70000',
])('refuses a host that is no address: %s', async host => {
  const { url } = await startServer()
  for (const path of ['/health', '/v1/models', '/api/tags', '/v1/chat/completions', '/inspector']) {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const method = path.endsWith('completions') ? 'POST' : 'GET'
      const asked = request(`${url}${path}`, { method, headers: { host } }, response => {
        response.resume()
        resolve(response.statusCode)
      })
      asked.on('error', reject)
      asked.end()
    })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  }
})
