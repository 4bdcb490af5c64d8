import { request } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import {
  ollamaAnswer,
  openaiAnswer,
  startUpstream,
  type UpstreamScript,
} from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it, onTestFinished } from 'vitest'
import { ollamaUpstream, openaiUpstream } from '../src/upstream/model-servers.ts'

async function start(script: UpstreamScript, kind: 'ollama' | 'openai' = 'ollama') {
  const upstream = await startUpstream(script)
  onTestFinished(upstream.close)
  const { url } = upstream
  const server = await startServer({
    upstream: kind === 'ollama' ? ollamaUpstream({ url }) : openaiUpstream({ url }),
  })
  return { ...server, requests: upstream.requests }
}

/** Asks without a client library, which would ask for packed answers and unpack them by itself. */
const askRaw = (url: string, path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number | undefined; encoding: string | undefined; bytes: Buffer }>(
    (resolve, reject) => {
      const { hostname, port } = new URL(url)
      const asked = request({ hostname, port, path, headers }, async response => {
        const pieces: Buffer[] = []
        for await (const piece of response) pieces.push(piece as Buffer)
        const { statusCode: status, headers } = response
        resolve({ status, encoding: headers['content-encoding'], bytes: Buffer.concat(pieces) })
      })
      asked.on('error', reject)
      asked.end()
    },
  )

it('passes a path on as the client wrote it, escapes and all', async () => {
  const { url, requests } = await start(() => ({ status: 200, body: { id: 'm' } }))
  const names = [
    'a%20b',
    'caf%C3%A9',
    'meta%2Fllama',
    'caf%c3%a9',
    '50%25',
    "it's+(1)~!*",
    'a%3Fb%23c',
  ]
  for (const name of names)
    for (const path of [`/v1/models/${name}`, `/c/my%20chat/v1/models/${name}`])
      expect([path, (await askRaw(url, `${path}?q=%20%C3%A9+x`)).status]).toEqual([path, 200])
  expect(requests.map(({ path }) => path)).toEqual(
    names.flatMap(name => [`/v1/models/${name}?q=%20%C3%A9+x`, `/v1/models/${name}?q=%20%C3%A9+x`]),
  )
})

const packers = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const

it.each(packers)('unpacks %s that neither the client nor we asked for', async (encoding, pack) => {
  const json = JSON.stringify({ models: [{ name: 'm' }] })
  const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
  const { url } = await start(() => ({ chunks: [pack(json)], headers }))
  const plain = await askRaw(url, '/api/tags')
  expect([plain.encoding, plain.bytes.toString()]).toEqual([undefined, json])
  const refusing = await askRaw(url, '/api/tags', {
    'accept-encoding': `${encoding};q=0, identity`,
  })
  expect([refusing.encoding, refusing.bytes.toString()]).toEqual([undefined, json])
  // Who asked for it gets it byte for byte.
  const asking = await askRaw(url, '/api/tags', { 'accept-encoding': `identity, ${encoding}` })
  expect([asking.encoding, asking.bytes]).toEqual([encoding, pack(json)])
  // The window is told in an answer that came packed, too.
  const models = await askRaw(url, '/api/ps', { 'accept-encoding': encoding })
  expect(JSON.parse(models.bytes.toString())).toEqual({
    models: [{ name: 'm', context_length: 1_000_000 }],
  })
})

it.each([
  ['ollama', ollamaAnswer([{ content: 'It is ' }, { content: 'Seagull.' }])],
  ['openai', openaiAnswer([{ content: 'It is ' }, { content: 'Seagull.' }])],
] as const)('reads replies of %s that come packed', async (kind, { chunks, headers }) => {
  const packed = { ...headers, 'content-encoding': 'gzip' }
  const { url } = await start(({ path }) => {
    if (!/chat/.test(path)) return { status: 200, body: { models: [], data: [] } }
    return { chunks: [gzipSync(chunks.join(''))], headers: packed }
  }, kind)
  const body = JSON.stringify({
    model: 'm',
    messages: [{ role: 'user', content: 'What is it called?' }],
  })
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body })
  expect(await response.text()).toContain('It is Seagull.')
})
