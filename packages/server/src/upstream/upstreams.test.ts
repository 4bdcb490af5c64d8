import { upstreamWith } from '@throughline/models/fixtures'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openaiUpstream } from './model-servers.ts'
import { readerUpstream } from './reader-upstream.ts'
import { opened } from './upstream.fixture.ts'
import type { Upstream } from './upstream.ts'
import { matchesGlob, oneUpstream, severalUpstreams } from './upstreams.ts'

const named = (name: string, upstream: Upstream, ...patterns: string[]) => ({
  ...{ name, upstream: opened(upstream), patterns, options: {} },
})

describe('a pattern', () => {
  it.each([
    ['gpt-*', ['gpt-', 'gpt-5', 'gpt-5-*'], ['gpt', 'chatgpt-5', 'GPT-5']],
    ['*', ['', 'any/thing:latest'], []],
    ['qwen3', ['qwen3'], ['qwen3:8b', 'qwen']],
    ['*-mini*', ['gpt-5-mini', 'o3-mini-high'], ['mini', 'gpt-5']],
    ['a*a', ['aa', 'aba'], ['a', 'ab']],
    ['a*b*a', ['aba', 'axbxa', 'abba'], ['aa', 'ab', 'ba']],
    ['m.5+', ['m.5+'], ['mx5', 'm.55']],
  ])('%s', (pattern, taken, others) => {
    expect(taken.filter(name => !matchesGlob(pattern, name))).toEqual([])
    expect(others.filter(name => matchesGlob(pattern, name))).toEqual([])
  })

  it('takes what a regular expression takes', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 8 })
    const patterns = fc.array(fc.constantFrom('a', 'b', '-', '*'), { maxLength: 6 })
    let taken = 0
    fc.assert(
      fc.property(patterns, letters, (parts, name) => {
        const isTaken = new RegExp(`^${parts.join('').replaceAll('*', '.*')}$`).test(name)
        expect(matchesGlob(parts.join(''), name)).toBe(isTaken)
        taken += Number(isTaken)
      }),
      { numRuns: 2000 },
    )
    expect(taken).toBeGreaterThan(100)
  })
})

describe('several upstreams', () => {
  it('take each the models of their names, and list no others', async () => {
    const list = await upstreamWith(() => ({
      status: 200,
      body: { data: [{ id: 'gpt-5', max_model_len: 400 }, { id: 'reader' }, { id: 'o3' }] },
    }))
    const all = severalUpstreams([
      named('openai', openaiUpstream({ url: list.url }), 'gpt-*', 'o3'),
      named('local', readerUpstream({ window: 512 }), '*'),
    ])
    expect(await all.models()).toEqual([
      { name: 'gpt-5', window: 400, windowFrom: 'told by the server' },
      { name: 'o3' },
      { name: 'reader', window: 512 },
    ])
    const names = ['gpt-4', 'o3', 'o3:latest', 'o3-mini'].map(model => all.of(model).name)
    expect(names).toEqual(['openai', 'openai', 'openai', 'local'])
  })

  it('call a model by its upstream in records, so that no count is taken from another one', () => {
    const all = severalUpstreams([
      named('a', readerUpstream(), 'x-*'),
      named('b', readerUpstream(), 'reader'),
    ])
    expect(all.model('reader').name).toBe('b/reader')
    expect(all.ofRecorded('b/reader')?.name).toBe('b')
    expect(all.ofRecorded('c/reader')).toBeUndefined()
    expect(['b/reader', 'reader', 'a/reader', 'a/x-1'].map(all.plainName)).toEqual([
      ...['reader', 'reader', 'a/reader', 'x-1'],
    ])
    expect(oneUpstream(readerUpstream()).model('reader').name).toBe('reader')
  })

  it('say which names they take where none takes a model', () => {
    const all = severalUpstreams([named('a', readerUpstream(), 'x-*', 'y')])
    expect(() => all.of('gpt-5')).toThrow(
      expect.objectContaining({
        code: 'model_not_found',
        status: 404,
        message: 'No upstream takes the model "gpt-5": the upstreams here take x-*, y.',
      }),
    )
    expect(all.find('gpt-5')).toBeUndefined()
  })

  it('list what answers, and fail only where nothing does', async () => {
    const away = () => openaiUpstream({ url: 'http://127.0.0.1:9' })
    const some = severalUpstreams([named('a', away(), 'a*'), named('b', readerUpstream(), '*')])
    expect(await some.models()).toEqual([{ name: 'reader', window: 4096 }])
    const none = severalUpstreams([named('a', away(), 'a*'), named('b', away(), '*')])
    await expect(none.models()).rejects.toMatchObject({ code: 'model_unavailable' })
  })
})
