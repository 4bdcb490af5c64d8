import { sliding } from '@throughline/core/context'
import { readPlan } from '@throughline/history/calls'
import { upstreamWith } from '@throughline/models/fixtures'
import { openaiAnswer } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it, onTestFinished } from 'vitest'
import { readerServer } from '../src/reader/reader-server.ts'
import { listen } from '../src/serve/listen.ts'
import { ollamaUpstream, openaiUpstream } from '../src/upstream/model-servers.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'
import { severalUpstreams } from '../src/upstream/upstreams.ts'

const post = (url: string, body: unknown) =>
  fetch(url, { method: 'POST', body: JSON.stringify(body) })
const chat = (url: string, model: string) =>
  post(`${url}/v1/chat/completions`, {
    model,
    messages: [{ role: 'user', content: 'My boat is Heron.' }],
  })

/** A stand-in for OpenAI, one for Ollama, and the reader for the rest: `gpt-*`, `qwen*`, `*`. */
async function three(options: Parameters<typeof startServer>[0] = {}) {
  const openai = await upstreamWith(({ path }) =>
    path === '/v1/models'
      ? { status: 200, body: { data: [{ id: 'gpt-5', owned_by: 'them' }, { id: 'qwen3' }] } }
      : path === '/v1/chat/completions'
        ? openaiAnswer([{ content: 'from openai' }])
        : { status: 200, body: { path } },
  )
  const local = readerServer({ models: ['qwen3', 'gpt-oss'], window: 2048 })
  const ollama = await upstreamWith(({ path }) =>
    path === '/api/embed'
      ? { status: 200, body: { embeddings: [[1]] } }
      : { status: 404, body: 'no' },
  )
  const served = await startReader(local)
  const upstream = severalUpstreams([
    {
      ...{ name: 'openai', patterns: ['gpt-*', 'whisper-*', 'text-*'] },
      upstream: openaiUpstream({ url: openai.url, apiKey: 'key-of-openai' }),
      options: { policy: sliding({ messages: 4 }), window: 1234 },
    },
    {
      ...{ name: 'vectors', patterns: ['nomic-*'], options: {} },
      upstream: ollamaUpstream({ url: ollama.url, apiKey: 'key-of-vectors' }),
    },
    {
      name: 'ollama',
      patterns: ['qwen*'],
      options: {},
      upstream: ollamaUpstream({ url: served.url }),
    },
    { name: 'rest', patterns: ['reader*'], options: {}, upstream: readerUpstream({ window: 512 }) },
  ])
  return { ...(await startServer({ upstream, ...options })), openai, ollama }
}

async function startReader(answer: (request: Request) => Promise<Response>) {
  const { url, close } = await listen(answer, {
    host: '127.0.0.1',
    port: 0,
    requestTimeoutMs: 60_000,
  })
  onTestFinished(() => close(0))
  return { url }
}

it('sends each model to its own upstream, with its own key and no other', async () => {
  const { url, openai, ollama } = await three()
  expect(await (await chat(url, 'gpt-5')).json()).toMatchObject({
    model: 'gpt-5',
    choices: [{ message: { content: 'from openai' } }],
  })
  const own = await post(`${url}/api/chat`, {
    ...{ model: 'qwen3', stream: false },
    messages: [{ role: 'user', content: 'I park on level 3. Where do I park?' }],
  })
  expect(await own.json()).toMatchObject({
    message: { content: expect.stringContaining('level 3') },
  })
  expect((await chat(url, 'reader')).status).toBe(200)
  const keys = [...openai.requests, ...ollama.requests].map(({ headers }) => headers.authorization)
  expect(new Set(keys)).toEqual(new Set(['Bearer key-of-openai']))
  expect(openai.requests.at(-1)!.body).toMatchObject({ model: 'gpt-5' })
})

it('answers a turn again by the model that the record of its call names', async () => {
  const { url } = await three()
  const api = `${url}/throughline/v1/conversations/harbour`
  await (await post(`${api}/send`, { input: 'I park on level 3.', model: 'reader' })).text()
  const { calls } = (await (await fetch(`${api}/calls`)).json()) as { calls: [{ model: string }] }
  expect(calls[0].model).toBe('rest/reader')
  const again = await post(`${api}/regenerate`, { at: 1, model: calls[0].model })
  expect(again.status).toBe(200)
  expect(await again.text()).toContain('"status":"completed"')
  // A model that nobody has is refused before a branch is made.
  const refused = await post(`${api}/regenerate`, { at: 1, model: 'rest/nobody' })
  expect(refused.status).toBe(404)
  const { threads } = (await (await fetch(`${api}/threads`)).json()) as {
    threads: readonly object[]
  }
  expect(threads).toHaveLength(2)
})

it('tells of a branch on which a model server failed that nothing was answered there', async () => {
  let isAway = false
  const model = await upstreamWith(({ path }) =>
    path !== '/v1/chat/completions'
      ? { status: 404, body: {} }
      : isAway
        ? { status: 500, body: { error: { message: 'out of memory' } } }
        : openaiAnswer([{ content: 'Heron.' }]),
  )
  const { url } = await startServer({
    upstream: openaiUpstream({ url: model.url, window: 4096 }),
    retries: 0,
  })
  const api = `${url}/throughline/v1/conversations/boat`
  await (await post(`${api}/send`, { input: 'A name for a boat?', model: 'm' })).text()
  await (await post(`${api}/regenerate`, { at: 1, model: 'm' })).text()
  isAway = true
  expect(await (await post(`${api}/regenerate`, { at: 1, model: 'm' })).text()).toContain('error')
  const { threads } = (await (await fetch(`${api}/threads`)).json()) as {
    threads: readonly { readonly branch: string; readonly isUnanswered: boolean }[]
  }
  const main = threads.find(({ branch }) => branch === 'main')!
  expect(main.isUnanswered).toBe(false)
  expect(threads.map(({ isUnanswered }) => isUnanswered).sort()).toEqual([false, false, true])
})

it('passes other routes on to the upstream of their model', async () => {
  const { url, openai, ollama } = await three()
  expect(
    await (await post(`${url}/api/embed`, { model: 'nomic-embed-text', input: 'a' })).json(),
  ).toEqual({
    embeddings: [[1]],
  })
  expect(ollama.requests[0]).toMatchObject({
    path: '/api/embed',
    body: { model: 'nomic-embed-text', input: 'a' },
  })
  expect(ollama.requests[0]!.headers.authorization).toBe('Bearer key-of-vectors')
  await (await post(`${url}/v1/embeddings?x=1`, { model: 'text-embedding-3', input: 'a' })).text()
  const form = new FormData()
  form.set('file', new Blob(['sound']), 'a.wav')
  form.set('model', 'whisper-1')
  await (await fetch(`${url}/v1/audio/transcriptions`, { method: 'POST', body: form })).text()
  expect(openai.requests.map(({ path }) => path)).toEqual([
    '/v1/embeddings?x=1',
    '/v1/audio/transcriptions',
  ])
  expect(String(openai.requests[1]!.body)).toContain('whisper-1')
  const none = await post(`${url}/v1/embeddings`, { input: 'a' })
  expect(none.status).toBe(400)
  expect(await none.json()).toMatchObject({
    error: { message: expect.stringContaining('Name a model') },
  })
})

it('lists the models of all of them, each where it is answered', async () => {
  const { url } = await three()
  const idsOf = async (path: string, list: string, name: string) => {
    const body = (await (await fetch(`${url}${path}`)).json()) as Record<
      string,
      Record<string, unknown>[]
    >
    return body[list]!.map(one => one[name])
  }
  // The other Ollama has no list, and `gpt-oss` is a name that OpenAI takes.
  expect(await idsOf('/v1/models', 'data', 'id')).toEqual(['gpt-5', 'qwen3', 'reader'])
  expect(await idsOf('/api/tags', 'models', 'name')).toEqual([
    'gpt-5',
    'qwen3:latest',
    'reader:latest',
  ])
  expect(await idsOf('/api/ps', 'models', 'context_length')).toEqual([
    1_000_000, 1_000_000, 1_000_000,
  ])
  const { data } = await (await fetch(`${url}/v1/models`)).json()
  expect(data[0]).toEqual({ id: 'gpt-5', owned_by: 'them', context_length: 1_000_000 })
  expect(await (await fetch(`${url}/api/version`)).json()).toEqual({
    version: '0.33.0-throughline',
  })
  const shown = await (await post(`${url}/api/show`, { model: 'gpt-5' })).json()
  expect(shown.model_info).toEqual({ 'general.architecture': 'openai' })
  expect(shown.parameters).toBe('num_ctx 1000000')
  const local = await (await post(`${url}/api/show`, { name: 'qwen3' })).json()
  expect(local.model_info).toMatchObject({ 'general.architecture': 'reader' })
})

it.each([
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'a' }] }],
  ['/v1/messages', { messages: [{ role: 'user', content: 'a' }], max_tokens: 9 }],
  ['/v1/responses', { input: 'a' }],
  ['/api/chat', { messages: [{ role: 'user', content: 'a' }] }],
  ['/v1/embeddings', { input: 'a' }],
  ['/api/show', {}],
  [
    '/throughline/v1/ui-chat',
    { id: 'a', messages: [{ role: 'user', parts: [{ type: 'text', text: 'a' }] }] },
  ],
])('%s says which names are taken if no upstream takes a model', async (path, body) => {
  const { url } = await three()
  const answer = await post(`${url}${path}`, { model: 'claude-5', ...body })
  expect(answer.status).toBe(404)
  expect(await answer.text()).toMatch(
    /No upstream takes the model \\?"claude-5\\?": the upstreams here take gpt-\*, whisper-\*/,
  )
})

it('tells in records, metrics and logs which upstream answered', async () => {
  const { url, history, served } = await three()
  const conversation = (await chat(url, 'gpt-5')).headers.get('x-throughline-conversation')!
  await (await chat(url, 'reader')).text()
  const thread = history.thread(conversation)
  const [call] = await thread.calls()
  expect(call).toMatchObject({ model: 'openai/gpt-5' })
  expect(served.map(one => one.upstream)).toEqual([
    { name: 'openai', kind: 'openai' },
    { name: 'rest', kind: 'reader' },
  ])
  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toContain(
    'throughline_requests_total{adapter="openai",outcome="completed",upstream="openai"} 1\n',
  )
  expect(metrics).toContain(
    'throughline_tokens_total{model="gpt-5",kind="prompt",upstream="openai"} 7\n',
  )
})

it('fits with the window and the policy of the upstream, also where the inspector looks again', async () => {
  const { url, history } = await three()
  const conversation = (await chat(url, 'gpt-5')).headers.get('x-throughline-conversation')!
  const [call] = await history.thread(conversation).calls()
  expect(readPlan(call!.plan)).toMatchObject({ policy: 'sliding', window: 1234 })
  const other = (await chat(url, 'reader')).headers.get('x-throughline-conversation')!
  const [plain] = await history.thread(other).calls()
  expect(readPlan(plain!.plan)).toMatchObject({ window: 512 })
  const found = await fetch(`${url}/throughline/v1/conversations/${conversation}/context`)
  expect(await found.json()).toMatchObject({ policy: 'sliding', window: 1234 })
})

it('shows each of them in its health and in what it tells of itself', async () => {
  const { url } = await three()
  expect(await (await fetch(`${url}/health`)).json()).toEqual({
    status: 'ok',
    upstream: 'openai, ollama, ollama, reader',
  })
  const ready = await fetch(`${url}/health/readiness`)
  expect(ready.status).toBe(200)
  expect(await ready.json()).toMatchObject({
    upstream: 'ok',
    upstreams: { openai: 'ok', vectors: 'away', ollama: 'ok', rest: 'ok' },
  })
  expect(await (await fetch(`${url}/throughline/v1/server`)).json()).toMatchObject({
    upstream: { kind: 'several' },
    upstreams: [
      { name: 'openai', kind: 'openai', models: ['gpt-*', 'whisper-*', 'text-*'] },
      { name: 'vectors', kind: 'ollama' },
      { name: 'ollama', kind: 'ollama' },
      { name: 'rest', kind: 'reader' },
    ],
    models: [{ name: 'gpt-5' }, { name: 'qwen3:latest' }, { name: 'reader', window: 512 }],
  })
})
