import { upstreamWith } from '@throughline/models/fixtures'
import { expect, it } from 'vitest'
import { ollamaUpstream, openaiUpstream } from '../upstream/model-servers.ts'
import { readerUpstream } from '../upstream/reader-upstream.ts'
import { opened } from '../upstream/upstream.fixture.ts'
import { oneUpstream, severalUpstreams } from '../upstream/upstreams.ts'
import { windowLines } from './window-lines.ts'

it('names each model with its window and from where it is known', async () => {
  const ollama = await upstreamWith(({ path, body }) => {
    const loaded = [{ name: 'a:latest', context_length: 8192 }]
    if (path === '/api/tags')
      return { status: 200, body: { models: ['a:latest', 'b:1b', 'c'].map(name => ({ name })) } }
    if (path === '/api/ps') return { status: 200, body: { models: loaded } }
    const { model } = body as { model: string }
    return { status: 200, body: { parameters: model === 'b:1b' ? 'num_ctx 16384' : '' } }
  })
  expect(await windowLines(oneUpstream(opened(ollamaUpstream({ url: ollama.url }))))).toEqual([
    'a:latest: 8,192, of the loaded model',
    'b:1b: 16,384, from its Modelfile',
    'c: window unknown: nothing is cut',
  ])
})

it('names the models of the table where a provider lists none without the key of a client', async () => {
  const provider = {
    ...readerUpstream(),
    address: 'https://api.openai.com',
    models: () => Promise.reject(new Error('no key')),
  }
  const lines = await windowLines(oneUpstream(provider))
  expect(lines.length).toBe(21)
  expect(lines.at(-1)).toMatch(/^and \d+ more models$/)
  const named = severalUpstreams([
    { name: 'one', upstream: provider, patterns: ['gpt-5'], options: {} },
  ])
  expect(await windowLines(named)).toEqual(['gpt-5: 400,000, from the table of 2026-11'])
})

it('says nothing of an upstream that does not answer', async () => {
  const gone = await upstreamWith([])
  await gone.close()
  expect(await windowLines(oneUpstream(opened(openaiUpstream({ url: gone.url }))))).toEqual([])
})

it('names as set what was set, and counts what is unknown of many', async () => {
  const data = Array.from({ length: 30 }, (_, at) => ({ id: `model-${at}` }))
  const many = await upstreamWith(({ path }) =>
    path === '/v1/models' ? { status: 200, body: { data } } : { status: 404, body: {} },
  )
  const set = await windowLines(
    oneUpstream(opened(openaiUpstream({ url: many.url, window: 4096 }))),
  )
  expect(set[0]).toBe('model-0: 4,096, as set')
  const unknown = await windowLines(oneUpstream(opened(openaiUpstream({ url: many.url }))))
  expect(unknown.at(-1)).toBe('and 10 more models; of 30 the window is unknown: nothing is cut')
})
