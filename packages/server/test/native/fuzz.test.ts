import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Upstream } from '../../src/upstream/upstream.ts'
import { chatPair } from './chat-pair.ts'
import { messagesPair } from './messages-pair.ts'
import { ollamaPair } from './ollama-pair.ts'
import { type Pair, startPair } from './pair.ts'
import { responsesPair } from './responses-pair.ts'

type Fields = Record<string, unknown>

const numRuns = process.env.THROUGHLINE_LONG ? 300 : 20

const json = fc.jsonValue({ maxDepth: 3 })
const extra = fc.dictionary(
  fc.string({ minLength: 1 }).map(name => `x_${name}`),
  json,
  { maxKeys: 5 },
)

/** A conversation: how long each turn is, and what else its entries and the body hold. */
const talk = fc.record({
  turns: fc.array(fc.record({ length: fc.integer({ min: 0, max: 400 }), extra }), {
    maxLength: 12,
  }),
  fields: extra,
  spaces: fc.integer({ min: 0, max: 2 }),
})

type Talk = typeof talk extends fc.Arbitrary<infer Value> ? Value : never

/** What a pair does to a request: what was sent to us, and what the upstream got. */
async function check(
  pair: Pair,
  window: number,
  change?: (upstream: Upstream) => Upstream,
): Promise<void> {
  const changed = change
    ? { ...pair, upstream: (url: string, size: number) => change(pair.upstream(url, size)) }
    : pair
  const { ask, got } = await startPair(changed, pair.stream, window)
  let count = 0
  const property = fc.asyncProperty(talk, async ({ turns, fields, spaces }: Talk) => {
    count += 1
    const words = (at: number, length: number) => `${count}.${at} ${'leaf bark '.repeat(length)}`
    const list = [
      ...turns.flatMap(({ length, extra }, at) =>
        pair.turn(at, words(at, length)).map(entry => ({ ...entry, ...extra })),
      ),
      pair.question(words(99, 1)),
    ]
    const { options } = pair.limit as { options?: object }
    const body: Fields = {
      ...pair.body,
      ...pair.limit,
      ...(options && { options: { ...options, num_ctx: window } }),
      ...fields,
      tools: [],
      [pair.list]: list,
      stream: true,
    }
    const text = JSON.stringify(body, undefined, spaces)
    await (await ask(text)).text()
    const sent = got().at(-1)!
    if (sent.text === text) return
    // Something had to go: nothing but the list is different, and what is left of it are the client's own entries.
    const { [pair.list]: short, ...rest } = sent.body as Fields
    const { [pair.list]: _, ...given } = JSON.parse(text) as Fields
    expect(rest).toEqual(given)
    const whole = new Set(list.map(entry => JSON.stringify(entry)))
    const entries = (short as readonly object[]).map(entry => JSON.stringify(entry))
    expect(entries.filter(entry => whole.has(entry)).length).toBeGreaterThan(0)
    expect(entries.at(-1)).toBe(JSON.stringify(list.at(-1)))
    expect(text.length).toBeGreaterThan(window)
    expectPairs(entries.join('\n'))
  })
  await fc.assert(property, { numRuns, seed: 7 })
}

/** Every call has its result, and the other way round. */
function expectPairs(text: string): void {
  const calls = new Set(text.match(/"(?:toolu|call)_\d+"/g))
  for (const id of calls) expect(text.split(id).length, id).toBe(3)
}

describe.each([messagesPair, chatPair, ollamaPair, responsesPair])('$name', pair => {
  it('never changes more than it must', () => check(pair, 8192))

  it('would be caught if it changed one field', async () => {
    const drops = (upstream: Upstream): Upstream => ({
      ...upstream,
      passReply({ body, ...request }) {
        const { x_five: _, ...rest } = JSON.parse(
          Buffer.from(body as Uint8Array).toString(),
        ) as Fields
        return upstream.passReply!({ ...request, body: JSON.stringify(rest) })
      },
    })
    await expect(check(pair, 8192, drops)).rejects.toThrow('Property failed')
  })
})
