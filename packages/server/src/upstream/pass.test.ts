import { randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { upstreamWith } from '@throughline/models/fixtures'
import { afterEach, describe, expect, it } from 'vitest'
import { ollamaUpstream } from './model-servers.ts'
import { readerUpstream } from './reader-upstream.ts'
import { opened } from './upstream.fixture.ts'
import type { PassedAnswer } from './upstream.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
})

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A server that answers bytes, and an upstream before it. */
async function bytesFrom(answer: (response: ServerResponse, seen: Seen) => void, path = '') {
  const all: Seen[] = []
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece)
    const { method = '', url = '', headers } = incoming
    const seen = { method, url, headers, body: Buffer.concat(pieces) }
    all.push(seen)
    answer(response, seen)
  })
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  return { all, upstream: opened(ollamaUpstream({ url, apiKey: 'upstream-key' })) }
}

async function bytesOf({ body }: PassedAnswer): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

describe('pass', () => {
  const sent = randomBytes(300_000)
  const bytes = randomBytes(500_000)

  it.each([
    ['a whole body', sent],
    ['a stream', cut(sent, 7777)],
  ])('gives %s on and the answer back, byte for byte', async (_, body) => {
    const { all, upstream } = await bytesFrom(response => {
      response.writeHead(203, { 'content-type': 'application/x-odd', 'content-encoding': 'gzip' })
      response.end(bytes)
    })
    const headers = { 'accept-encoding': 'gzip' }
    const answer = await upstream.pass({ method: 'POST', path: '/api/embed?x=%2F', headers, body })
    expect(answer.status).toBe(203)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/x-odd',
      'content-encoding': 'gzip',
    })
    expect((await bytesOf(answer)).equals(bytes)).toBe(true)
    expect(all).toMatchObject([{ method: 'POST', url: '/api/embed?x=%2F' }])
    expect(all[0]!.body.equals(sent)).toBe(true)
  })

  it.each(['plain', 'gzip', 'zstd'])(
    'tells no client the key that a fault repeats (%s)',
    async packing => {
      const repeated = [
        '{"error":{"message":"Incorrect API key provided: upstream-key."}}',
        '{"error":{"message":"Bearer upstream\\u002dkey is unknown"}}',
        `${' '.repeat(70)}upstream-key`,
      ]
      for (const [at, words] of repeated.entries()) {
        const status = [401, 403, 500][at]!
        const packed = {
          plain: Buffer.from(words),
          gzip: gzipSync(words),
          zstd: Buffer.from('(upstream-key)'),
        }
        const { upstream } = await bytesFrom(response => {
          response.writeHead(status, packing === 'plain' ? {} : { 'content-encoding': packing })
          response.end(packed[packing as 'plain'])
        })
        for (const path of ['/v1/embeddings', '/v1/completions', '/api/embed', '/v1/rerank']) {
          const headers = { 'accept-encoding': 'gzip, zstd' }
          const passed = upstream.pass({ method: 'POST', path, headers, body: sent })
          const error = await passed.then(
            () => 'passed on',
            (error: Error) => error,
          )
          expect(error).toMatchObject({ status })
          expect(String(error)).not.toMatch(/upstream.{0,6}key/)
        }
      }
    },
  )

  it('tells no client the key that stands in a header of a fault', async () => {
    const { upstream } = await bytesFrom(response => {
      response.writeHead(401, { 'www-authenticate': 'Bearer error="upstream-key"' }).end('{}')
    })
    const passed = upstream.pass({ method: 'GET', path: '/api/tags', headers: {} })
    await expect(passed).rejects.toMatchObject({ status: 401 })
  })

  it('gives every other fault back as it is', async () => {
    const words = '{"error":{"message":"Unknown model: bge","code":"model_not_found"}}'
    const { upstream } = await bytesFrom(response => {
      response.writeHead(404, { 'content-encoding': 'gzip', 'x-own': 'yes' }).end(gzipSync(words))
    })
    const headers = { 'accept-encoding': 'gzip' }
    const answer = await upstream.pass({
      method: 'POST',
      path: '/v1/embeddings',
      headers,
      body: sent,
    })
    expect(answer).toMatchObject({ status: 404, headers: { 'x-own': 'yes' } })
    expect((await bytesOf(answer)).toString()).toBe(words)
  })

  it('goes below the path of the address', async () => {
    const { all, upstream } = await bytesFrom(response => response.end(), '/ollama/')
    await bytesOf(await upstream.pass({ method: 'GET', path: '/api/tags', headers: {} }))
    expect(all.map(({ url }) => url)).toEqual(['/ollama/api/tags'])
  })

  it('gives a stream back as it comes', async () => {
    let go = () => {}
    const { upstream } = await bytesFrom(response => {
      response.write('one\n')
      go = () => response.end('two\n')
    })
    const { body } = await upstream.pass({ method: 'POST', path: '/api/pull', headers: {} })
    const seen: string[] = []
    for await (const piece of body) {
      seen.push(Buffer.from(piece).toString())
      go()
    }
    expect(seen.join('')).toBe('one\ntwo\n')
    expect(seen[0]).toBe('one\n')
  })

  it('keeps what belongs to this connection, and our own names and keys', async () => {
    const { all, upstream } = await bytesFrom(response => {
      response.writeHead(200, {
        ...{
          connection: 'x-hop',
          'x-hop': '1',
          'keep-alive': 'timeout=5',
          'set-cookie': ['a=1', 'b=2'],
        },
        ...{ 'access-control-allow-origin': '*', 'x-kept': 'yes', 'x-many': ['a', 'b'] },
      })
      response.end('ok')
    })
    const answer = await upstream.pass({
      method: 'GET',
      path: '/api/tags',
      headers: {
        ...{
          Connection: 'keep-alive, x-mine',
          'x-mine': '1',
          'keep-alive': '5',
          te: 'trailers',
          expect: '100-continue',
        },
        ...{
          Authorization: 'Bearer client-key',
          'x-api-key': 'client-key',
          cookie: 'a=1',
          host: 'evil.example',
        },
        ...{
          'x-throughline-conversation': 'c',
          'x-conversation-id': 'c',
          origin: 'http://a.example',
        },
        ...{ 'content-length': '99', 'user-agent': 'client/1', 'x-request-id': 'r1' },
      },
    })
    await bytesOf(answer)
    const { host, connection, ...rest } = all[0]!.headers
    expect(host).toMatch(/^127\.0\.0\.1:/)
    expect(connection).toBe('keep-alive')
    expect(rest).toEqual({
      authorization: 'Bearer upstream-key',
      'user-agent': 'client/1',
      'x-request-id': 'r1',
    })
    const { date, ...back } = answer.headers
    expect(date).toBeDefined()
    expect(back).toEqual({ 'x-kept': 'yes', 'x-many': 'a, b' })
  })

  it('reads no faster than the client', async () => {
    let written = 0
    const piece = Buffer.alloc(65_536)
    const { upstream } = await bytesFrom(response => {
      const write = () => {
        while (written < 1_000_000_000) {
          written += piece.length
          if (!response.write(piece)) return void response.once('drain', write)
        }
      }
      write()
    })
    const { body } = await upstream.pass({ method: 'GET', path: '/x', headers: {} })
    const reading = body[Symbol.asyncIterator]()
    await reading.next()
    // Until the sockets are full, and nothing moves any more.
    for (let before = -1; before !== written; ) {
      before = written
      await new Promise(resolve => setTimeout(resolve, 100))
    }
    expect(written).toBeLessThan(50_000_000)
    await reading.return?.()
  })

  it('stops the upstream when the client leaves', async () => {
    const wire = await upstreamWith([
      { chunks: ['a'], ending: 'stall' },
      { chunks: ['a'], ending: 'stall' },
    ])
    const upstream = opened(ollamaUpstream({ url: wire.url }))
    const request = { method: 'POST', path: '/api/generate', headers: {} }
    const leaving = new AbortController()
    const answer = await upstream.pass({ ...request, signal: leaving.signal })
    const reading = bytesOf(answer)
    leaving.abort('left')
    await expect(reading).rejects.toBe('left')
    expect(await wire.requests[0]!.ended).toBe('left')
    for await (const _ of (await upstream.pass(request)).body) break
    expect(await wire.requests[1]!.ended).toBe('left')
  })

  it('throws the client’s own error when the client breaks off', async () => {
    const { upstream } = await bytesFrom(response => response.end())
    const gone = new Error('the client has gone')
    async function* body() {
      yield sent
      throw gone
    }
    const request = {
      method: 'POST',
      path: '/api/blobs/x',
      headers: { 'content-length': '999999' },
    }
    await expect(upstream.pass({ ...request, body: body() })).rejects.toBe(gone)
  })

  it('fails with an error of ours', async () => {
    const wire = await upstreamWith([
      { chunks: ['a'], ending: 'reset' },
      { ending: 'reset' },
      { status: 302, headers: { location: 'http://elsewhere.example/' } },
    ])
    const upstream = opened(ollamaUpstream({ url: wire.url }))
    const request = { method: 'GET', path: '/api/tags', headers: {} }
    await expect(upstream.pass(request).then(bytesOf)).rejects.toMatchObject({
      code: 'model_stream_broken',
    })
    await expect(upstream.pass(request)).rejects.toMatchObject({ code: 'model_unavailable' })
    await expect(upstream.pass(request)).rejects.toMatchObject({
      code: 'model_refused',
      status: 302,
    })
    await expect(upstream.pass({ ...request, path: '/a b\r\nx: y' })).rejects.toMatchObject({
      code: 'model_refused',
    })
  })
})

describe('the reader', () => {
  it('answers inside this process', async () => {
    const upstream = readerUpstream({ window: 100 })
    const answer = await upstream.pass({
      method: 'POST',
      path: '/api/show?x=1',
      headers: { 'content-length': '1', connection: 'close' },
      body: cut(Buffer.from('{"model":"reader"}'), 5),
    })
    expect(answer.status).toBe(200)
    expect(JSON.parse((await bytesOf(answer)).toString())).toMatchObject({
      capabilities: expect.anything(),
    })
    expect(await upstream.models()).toEqual([{ name: 'reader', window: 100 }])
    expect(await upstream.model('reader').window()).toBe(100)
  })

  it('tells the counts of a prompt that is too long, and has no other model', async () => {
    const upstream = readerUpstream({ window: 20 })
    const messages = [{ role: 'user', content: 'word '.repeat(50) }]
    const read = async (name: string) => {
      for await (const _ of upstream.model(name).stream({ messages }));
    }
    await expect(read('reader:latest')).rejects.toMatchObject({
      code: 'context_too_long',
      tokens: { prompt: expect.any(Number), window: 20 },
    })
    await expect(read('llama3')).rejects.toMatchObject({ code: 'model_not_found', status: 404 })
  })
})
