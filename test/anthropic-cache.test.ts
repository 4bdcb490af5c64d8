import { anthropicCache } from '@throughline/test-tools/anthropic-cache'
import { expect, it } from 'vitest'

const text = (at: number, mark?: object) => ({
  ...{ type: 'text', text: `${at} `.padEnd(2000, 'leaf ') },
  ...(mark && { cache_control: { type: 'ephemeral', ...mark } }),
})
const body = (...content: readonly object[]) => ({ messages: [{ role: 'user', content }] })
const texts = (count: number) => Array.from({ length: count }, (_, at) => text(at))

it('keeps what stands up to a mark, for its lifetime, and from the minimum on', () => {
  let time = 0
  const cache = anthropicCache({ now: () => time })
  expect(cache.ask(body(text(0, {}))).written).toBe(0)
  const one = cache.ask(body(...texts(2), text(2, {})))
  expect([one.read, one.cost]).toEqual([0, one.written * 1.25])
  time = 4 * 60_000
  const again = cache.ask(body(...texts(2), text(2, {}), text(3)))
  expect([again.read, again.written]).toEqual([one.written, 0])
  expect(again.cost).toBe(again.read * 0.1 + again.input)
  time += 6 * 60_000
  expect(cache.ask(body(...texts(2), text(2, {}))).read).toBe(0)
  const long = cache.ask(body(...texts(5), text(5, { ttl: '1h' })))
  expect(long.cost).toBe(long.read * 0.1 + long.written * 2)
  time += 59 * 60_000
  expect(cache.ask(body(...texts(5), text(5, { ttl: '1h' }))).written).toBe(0)
})

it('looks back twenty blocks from a mark', () => {
  for (const [more, isFound] of [
    [19, true],
    [20, false],
  ] as const) {
    const cache = anthropicCache()
    cache.ask(body(...texts(4), text(4, {})))
    expect(cache.ask(body(...texts(4 + more), text(4 + more, {}))).read > 0).toBe(isFound)
  }
})

it('refuses a fifth mark, a longer lifetime behind a shorter one, and a mark on a thought', () => {
  const { ask } = anthropicCache()
  const four = [1, 2, 3, 4].map(at => text(at, {}))
  expect(ask(body(...four)).problem).toBeUndefined()
  expect(ask(body(...four, text(5, {}))).problem).toContain('maximum of 4')
  expect(ask({ ...body(...four), cache_control: { type: 'ephemeral' } }).problem).toBeUndefined()
  expect(ask(body(text(1, {}), text(2, { ttl: '1h' }))).problem).toContain('must not come after')
  expect(ask(body({ ...text(1, {}), type: 'thinking' })).problem).toContain('thinking')
})
