import { ollamaAnswer, type UpstreamAnswer } from '@throughline/test-tools/scripted-upstream'
import { expect, it } from 'vitest'
import { partsOf, upstreamWith } from '../../upstream.fixture.ts'
import { ollama } from './ollama.ts'

const messages = [{ role: 'user', content: 'hello' }]

/** A server with these answers about its models. */
function serverWith(answers: Readonly<Record<string, UpstreamAnswer>>) {
  return upstreamWith(({ path }) => answers[path] ?? ollamaAnswer([{ content: 'hi' }]))
}

const loaded = (name: string, context_length: number): UpstreamAnswer => ({
  status: 200,
  body: {
    models: [
      { name: 'other:latest', context_length: 1 },
      { name, model: name, context_length },
    ],
  },
})
const show = (parameters?: string): UpstreamAnswer => ({
  status: 200,
  body: { parameters, model_info: { 'llama.context_length': 131_072 } },
})
const nothing: UpstreamAnswer = { status: 200, body: { models: [] } }

it('is the one that is given, and nobody is asked', async () => {
  const upstream = await serverWith({})
  expect(await ollama({ model: 'm', window: 1234, host: upstream.url }).window()).toBe(1234)
  expect(upstream.requests).toEqual([])
})

it.each([
  ['llama3', 'llama3:latest'],
  ['llama3:8b', 'llama3:8b'],
  ['hf.co/some/Model', 'hf.co/some/model:latest'],
])('is what the server has in memory for %s', async (model, name) => {
  const upstream = await serverWith({ '/api/ps': loaded(name, 6144) })
  expect(await ollama({ model, host: upstream.url }).window()).toBe(6144)
})

it('is the model’s own when it is not in memory, and not what it was trained for', async () => {
  const parameters =
    'stop                           "num_ctx 5"\nnum_ctx                        16384\ntemperature 0.7'
  const upstream = await serverWith({
    '/api/ps': loaded('llama3:70b', 6144),
    '/api/show': show(parameters),
  })
  expect(await ollama({ model: 'llama3', host: upstream.url }).window()).toBe(16_384)
})

it.each([
  ['nobody says', nothing, show()],
  ['the server is older', { status: 404, body: '404 page not found' }, show('temperature 1')],
  ['the server does not have the model', nothing, { status: 404, body: { error: 'not found' } }],
  [
    'the answers are no JSON',
    { status: 200, body: 'Ollama is running' },
    { status: 200, body: 'yes' },
  ],
] as [string, UpstreamAnswer, UpstreamAnswer][])(
  'is unknown when %s, and the server decides',
  async (_, ps, shown) => {
    const upstream = await serverWith({ '/api/ps': ps, '/api/show': shown })
    const model = ollama({ model: 'm', host: upstream.url })
    expect(await model.window()).toBeUndefined()
    await partsOf(model.stream({ messages }))
    const chat = upstream.requests.find(({ path }) => path === '/api/chat')
    expect(chat!.body).toMatchObject({ options: {}, truncate: false, shift: false })
    expect(chat!.text).not.toContain('num_ctx')
  },
)

it('is that of the loaded model after the first reply', async () => {
  let isLoaded = false
  const upstream = await upstreamWith(({ path }) => {
    if (path === '/api/ps') return isLoaded ? loaded('m:latest', 6144) : nothing
    if (path === '/api/show') return show()
    isLoaded = true
    return ollamaAnswer([{ content: 'hi' }])
  })
  const model = ollama({ model: 'm', host: upstream.url })
  expect(await model.window()).toBeUndefined()
  await partsOf(model.stream({ messages }))
  expect(await model.window()).toBe(6144)
  expect(model.windowFrom?.()).toBe('of the loaded model')
})

it('is sent with every request, and asked for once', async () => {
  const upstream = await serverWith({ '/api/ps': loaded('m:latest', 6144) })
  const model = ollama({ model: 'm', host: upstream.url })
  await Promise.all([
    partsOf(model.stream({ messages })),
    partsOf(model.stream({ messages })),
    model.window(),
  ])
  const paths = upstream.requests.map(request => request.path)
  expect(paths.toSorted()).toEqual(['/api/chat', '/api/chat', '/api/ps'])
  const bodies = upstream.requests
    .filter(({ path }) => path === '/api/chat')
    .map(({ body }) => body)
  for (const body of bodies) expect(body).toMatchObject({ options: { num_ctx: 6144 } })
})

it('is asked for again after a failure', async () => {
  let isUp = false
  const upstream = await upstreamWith(() => (isUp ? loaded('m:latest', 6144) : { status: 503 }))
  const model = ollama({ model: 'm', host: upstream.url })
  await expect(model.window()).rejects.toMatchObject({ code: 'model_unavailable' })
  isUp = true
  expect(await model.window()).toBe(6144)
})

it('is not lost to others when one of them stops waiting; when all do, the question ends', async () => {
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const upstream = await upstreamWith((_, at) =>
    at === 0 ? { ending: 'stall' } : loaded('m:latest', 6144),
  )
  const slow: typeof fetch = async (...given) => {
    if (upstream.requests.length > 0) await held
    return fetch(...given)
  }
  const model = ollama({ model: 'm', host: upstream.url, fetch: slow })
  const [one, two, three] = [new AbortController(), new AbortController(), new AbortController()]
  const first = model.window(one.signal)
  await expect.poll(() => upstream.requests.length).toBe(1)
  one.abort('one')
  await expect(first).rejects.toBe('one')
  expect(await upstream.requests[0]!.ended).toBe('left')

  const [second, third] = [model.window(two.signal), model.window(three.signal)]
  two.abort('two')
  await expect(second).rejects.toBe('two')
  release()
  expect(await third).toBe(6144)
})
