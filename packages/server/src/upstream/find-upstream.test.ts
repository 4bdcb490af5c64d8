import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { upstreamWith } from '@throughline/models/fixtures'
import type { UpstreamAnswer } from '@throughline/test-tools/scripted-upstream'
import { expect, it } from 'vitest'
import { readConfig } from '../config/read-config.ts'
import { findUpstream } from './find-upstream.ts'
import { opened } from './upstream.fixture.ts'

type Flags = Readonly<Record<string, unknown>>

async function find(flags: Flags) {
  const choice = await findUpstream(readConfig({ flags: { port: 1, ...flags } }).config)
  opened(choice.upstream)
  return { kind: choice.upstream.kind, why: choice.why, address: choice.upstream.address }
}

const serve = (answers: Readonly<Record<string, UpstreamAnswer>>) =>
  upstreamWith(({ path }) => answers[path] ?? { status: 404, body: 'not found' })

const ollama = { '/api/version': { status: 200, body: { version: '0.33.0' } } }
const openai = { '/v1/models': { status: 200, body: { object: 'list', data: [] } } }

/** An address at which nothing listens. */
async function nobody(): Promise<string> {
  const upstream = await upstreamWith([])
  await upstream.close()
  return upstream.url
}

it('is Ollama if that answers', async () => {
  const { url } = await serve(ollama)
  expect(await find({ upstream: url })).toEqual({
    kind: 'ollama',
    address: url,
    why: `The upstream is Ollama 0.33.0 at ${url}, as "upstream" says.`,
  })
  expect((await find({ ollamaHost: url })).why).toBe(
    `The upstream is Ollama 0.33.0 at ${url}, because no upstream is configured and it answers there.`,
  )
})

it.each(['', '/v1', '/v1/'])(
  'is a server of chat completions if it lists its models: %j',
  async path => {
    // LM Studio answers any path.
    const { url } = await serve({
      ...openai,
      '/api/version': { status: 200, body: { error: 'unexpected' } },
    })
    expect(await find({ upstream: `${url}${path}` })).toEqual({
      kind: 'openai',
      address: url,
      why: `The upstream is an OpenAI-compatible server at ${url}, as "upstream" says.`,
    })
  },
)

it('is Anthropic by its name, without being asked', async () => {
  expect(await find({ upstream: 'https://api.anthropic.com' })).toEqual({
    kind: 'anthropic',
    address: 'https://api.anthropic.com',
    why: 'The upstream is Anthropic at https://api.anthropic.com, as "upstream" says.',
  })
})

it('is a server of Anthropic’s Messages if it says so in any way', async () => {
  const error = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'model: Field required' },
  }
  const servers: Record<string, UpstreamAnswer>[] = [
    {
      '/v1/models': { status: 200, body: { data: [{ type: 'model', id: 'm' }], has_more: false } },
    },
    { '/v1/models': { status: 401, body: error } },
    { '/v1/messages': { status: 400, body: error } },
  ]
  for (const answers of servers) {
    const { url } = await serve(answers)
    expect(await find({ upstream: `${url}/v1` })).toEqual({
      kind: 'anthropic',
      address: url,
      why: `The upstream is a server of Anthropic’s Messages at ${url}, as "upstream" says.`,
    })
  }
  const url = await nobody()
  expect((await find({ upstream: url, upstreamKind: 'anthropic' })).kind).toBe('anthropic')
})

it('is the reader if it is wanted, or if nothing is configured and nothing answers', async () => {
  expect(await find({ upstream: 'reader' })).toMatchObject({
    kind: 'reader',
    why: 'The upstream is the built-in reader, as "upstream" says.',
  })
  const url = await nobody()
  expect(await find({ ollamaHost: url })).toMatchObject({
    kind: 'reader',
    why: `The upstream is the built-in reader, because no upstream is configured and nothing answers at ${url}.`,
  })
})

it('is the reader if nothing is configured and what listens where Ollama is looked for says nothing', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  expect(await find({ ollamaHost: `http://127.0.0.1:${port}` })).toMatchObject({ kind: 'reader' })
  silent.close()
})

it('is never guessed if it is configured', async () => {
  const url = await nobody()
  await expect(find({ upstream: url })).rejects.toMatchObject({ code: 'upstream_not_found' })
  await expect(find({ upstream: url })).rejects.toThrow(`Nothing answers at ${url}`)
})

it.each([
  ['another server', {}],
  [
    'a page',
    {
      '/api/version': { status: 200, body: '<html>' },
      '/v1/models': { status: 200, body: '<html>' },
    },
  ],
  [
    'a server that refuses the key',
    { '/v1/models': { status: 401, body: { error: 'wrong key' } } },
  ],
  ['a server that fails', { '/api/version': { status: 500 }, '/v1/models': { status: 500 } }],
  ['a redirect', { '/api/version': { status: 301 }, '/v1/models': { status: 301 } }],
] as [string, Record<string, UpstreamAnswer>][])('is not found in %s', async (_, answers) => {
  const { url } = await serve(answers)
  for (const flags of [{ upstream: url, upstreamKey: 'hidden' }, { ollamaHost: url }]) {
    await expect(find(flags)).rejects.toMatchObject({ code: 'upstream_not_found' })
    await expect(find(flags)).rejects.toThrow(/neither Ollama nor an OpenAI-compatible server/)
  }
})

it.each(['ollama', 'openai'])(
  'is not asked if the configuration says that it is %s',
  async kind => {
    const url = await nobody()
    expect(await find({ upstream: url, upstreamKind: kind })).toMatchObject({ kind, address: url })
  },
)
