import { expect, it } from 'vitest'
import type { UpstreamAnswer } from '../../../test/scripted-upstream.ts'
import { upstreamWith } from '../upstream.fixture.ts'
import { openaiCompatible } from './openai-compatible.ts'

const list = (...data: unknown[]): UpstreamAnswer => ({ status: 200, body: { object: 'list', data } })

async function windowFrom(answer: UpstreamAnswer, others: Readonly<Record<string, UpstreamAnswer>> = {}) {
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
    const { window, asked } = await windowFrom(list({ id: 'other', [name]: 1 }, { id: 'm', [name]: 32_768 }))
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

it('is the one that is given, and nobody is asked', async () => {
  const upstream = await upstreamWith([])
  expect(await openaiCompatible({ baseURL: upstream.url, model: 'm', window: 99 }).window()).toBe(99)
  expect(upstream.requests).toEqual([])
})

it('is asked for again after a failure', async () => {
  const upstream = await upstreamWith([{ status: 502 }, list({ id: 'm', context_length: 77 })])
  const model = openaiCompatible({ baseURL: upstream.url, model: 'm' })
  await expect(model.window()).rejects.toMatchObject({ code: 'model_unavailable' })
  expect(await model.window()).toBe(77)
})
