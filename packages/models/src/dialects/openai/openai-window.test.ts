import { openaiAnswer, type UpstreamAnswer } from '@throughline/test-tools/scripted-upstream'
import { describe, expect, it } from 'vitest'
import { partsOf, upstreamWith } from '../../upstream.fixture.ts'
import { openaiCompatible } from './openai-compatible.ts'

const list = (...data: unknown[]): UpstreamAnswer => ({
  status: 200,
  body: { object: 'list', data },
})

async function windowFrom(
  answer: UpstreamAnswer,
  others: Readonly<Record<string, UpstreamAnswer>> = {},
) {
  const answers: Readonly<Record<string, UpstreamAnswer>> = { '/v1/models': answer, ...others }
  const upstream = await upstreamWith(({ path }) => answers[path])
  const model = openaiCompatible({ baseURL: `${upstream.url}/v1`, model: 'm' })
  const window = await model.window()
  const asked = upstream.requests.map(({ path }) => path)
  expect(await model.window()).toBe(window)
  expect(upstream.requests).toHaveLength(asked.length)
  return { window, asked }
}

it.each(['max_model_len', 'context_length', 'context_window'])(
  'is what the server tells as %s',
  async name => {
    const { window, asked } = await windowFrom(
      list({ id: 'other', [name]: 1 }, { id: 'm', [name]: 32_768 }),
    )
    expect([window, asked]).toEqual([32_768, ['/v1/models']])
  },
)

it('is that of one slot of llama.cpp, and not what the model was trained for', async () => {
  const meta = { n_ctx_train: 131_072, n_ctx: 8192 }
  expect((await windowFrom(list({ id: 'm', meta }))).window).toBe(8192)
})

it('is what llama.cpp and LM Studio tell elsewhere', async () => {
  const props = { status: 200, body: { default_generation_settings: { n_ctx: 5120 } } }
  expect((await windowFrom(list({ id: 'm' }), { '/props': props })).window).toBe(5120)
  const loaded_instances = [{ id: 'm', config: { context_length: 2048 } }]
  const studio = { status: 200, body: { models: [{ key: 'm', loaded_instances }] } }
  expect((await windowFrom(list({ id: 'm' }), { '/api/v1/models': studio })).window).toBe(2048)
})

it.each([
  ['has no such model', list({ id: 'other', context_length: 4096 })],
  ['tells no window', list({ id: 'm', context_length: 'many' })],
  ['has no list', { status: 404, body: 'not found' }],
  ['has another list', { status: 200, body: { models: [] } }],
] as [string, UpstreamAnswer][])('is unknown when the server %s', async (_, answer) => {
  expect((await windowFrom(answer)).window).toBeUndefined()
})

it.each([0, 1, 255, 1.5, -8192, 1e15, '8192'])(
  'is not believed where it cannot be true: %j',
  async told => {
    expect((await windowFrom(list({ id: 'm', context_length: told }))).window).toBeUndefined()
  },
)

it('is what Together and Mistral tell', async () => {
  const bare: UpstreamAnswer = { status: 200, body: [{ id: 'm', context_length: 8192 }] }
  expect((await windowFrom(bare)).window).toBe(8192)
  expect((await windowFrom(list({ id: 'm', max_context_length: 32_768 }))).window).toBe(32_768)
})

describe('of LM Studio', () => {
  const older = (model: object) => ({
    '/api/v0/models': { status: 200, body: { data: [{ id: 'm', ...model }] } },
  })

  it('is that of the loaded model', async () => {
    const model = { state: 'loaded', max_context_length: 131_072, loaded_context_length: 4096 }
    expect((await windowFrom(list({ id: 'm' }), older(model))).window).toBe(4096)
  })

  it('is at most the largest possible one, and asked for again when the model was loaded', async () => {
    const model: Record<string, unknown> = { state: 'not-loaded', max_context_length: 131_072 }
    const upstream = await upstreamWith(({ path }) => {
      if (path === '/v1/models') return list({ id: 'm' })
      if (path === '/api/v0/models') return older(model)['/api/v0/models']
      if (path !== '/v1/chat/completions')
        return { status: 200, body: { error: 'Unexpected endpoint' } }
      model.loaded_context_length = 4096
      return openaiAnswer([{ content: 'hi' }])
    })
    const studio = openaiCompatible({ baseURL: `${upstream.url}/v1`, model: 'm' })
    expect(await studio.window()).toBe(131_072)
    expect(studio.windowFrom?.()).toBe('the most that the server can load')
    await partsOf(studio.stream({ messages: [{ role: 'user', content: 'hello' }] }))
    expect(await studio.window()).toBe(4096)
  })
})

it('is asked for again with another key, if one was refused', async () => {
  const upstream = await upstreamWith([
    { status: 401 },
    { status: 401 },
    { status: 401 },
    { status: 401 },
    openaiAnswer([{ content: 'hi' }]),
    list({ id: 'm', context_length: 7700 }),
  ])
  const model = openaiCompatible({ baseURL: `${upstream.url}/v1`, model: 'm' })
  expect(await model.window()).toBeUndefined()
  await partsOf(model.stream({ messages: [{ role: 'user', content: 'hello' }] }))
  expect(await model.window()).toBe(7700)
})

it('is the one that is given, and nobody is asked', async () => {
  const upstream = await upstreamWith([])
  expect(await openaiCompatible({ baseURL: upstream.url, model: 'm', window: 99 }).window()).toBe(
    99,
  )
  expect(upstream.requests).toEqual([])
})

it('is asked for again after a failure', async () => {
  const upstream = await upstreamWith([{ status: 502 }, list({ id: 'm', context_length: 7700 })])
  const model = openaiCompatible({ baseURL: upstream.url, model: 'm' })
  await expect(model.window()).rejects.toMatchObject({ code: 'model_unavailable' })
  expect(await model.window()).toBe(7700)
})
