import { describe, expect, it } from 'vitest'
import { chatPair } from './chat-pair.ts'
import { messagesPair } from './messages-pair.ts'
import { ollamaPair } from './ollama-pair.ts'
import { startPair, written } from './pair.ts'
import { responsesPair } from './responses-pair.ts'

const pairs = [messagesPair, chatPair, ollamaPair, responsesPair]

type Fields = Record<string, unknown>

/** Words that are no copies of each other. */
const long = (at: number) => `${'leaf bark root moss '.repeat(20)}${at}`

describe.each(pairs)('$name', pair => {
  it.each([true, false])('passes every field byte for byte, streamed: %s', async isStreamed => {
    const answer = isStreamed
      ? pair.stream
      : { chunks: [pair.whole], headers: { 'content-type': 'application/json' } }
    const { ask, got } = await startPair(pair, answer)
    const text = written(pair.body, isStreamed)
    const headers = {
      'anthropic-beta': 'a,b',
      'openai-organization': 'org',
      'x-odd': 'é',
      cookie: 'secret',
    }
    const response = await ask(text, headers, '?beta=true&x=%2F')
    const said = await response.text()
    expect(got().map(({ text }) => text)).toEqual([text])
    expect(got()[0]!.path).toBe(`${pair.path}?beta=true&x=%2F`)
    expect(got()[0]!.headers).toMatchObject({
      'anthropic-beta': 'a,b',
      'openai-organization': 'org',
    })
    expect(got()[0]!.headers.cookie).toBeUndefined()
    expect(said).toBe(isStreamed ? pair.stream.chunks.join('') : pair.whole)
    expect(response.headers.get('content-type')).toContain(
      isStreamed ? pair.stream.headers['content-type']!.split(';')[0] : 'json',
    )
  })

  it('keeps the reply in the log', async () => {
    const { ask, history } = await startPair(pair)
    await (await ask(written(pair.body, true))).text()
    const [begun] = await history.conversations()
    const shown = await history.thread(begun!.conversation).display()
    expect(shown.at(-1)!.content).toBe(pair.said.stream)
  })

  it('goes on byte for byte when the client sends what it got', async () => {
    const { ask, got } = await startPair(pair)
    const turns = [0, 1, 2].map(at => pair.turn(at, 'short'))
    for (const end of [0, 1, 2]) {
      const list = [...turns.slice(0, end).flat(), pair.question(`Question ${end}: short`)]
      const text = written({ ...pair.body, [pair.list]: list }, true)
      await (await ask(text)).text()
      expect(got().at(-1)!.text).toBe(text)
    }
  })

  it('changes only the list when not all fits, and leaves entries out of it or clears them', async () => {
    const { ask, got } = await startPair(pair, pair.stream, 4096)
    const turns = Array.from({ length: 30 }, (_, at) => pair.turn(at, long(at)))
    const list = [
      ...turns.flat().map(entry => ({ ...entry, x_own: true })),
      pair.question('Which leaf?'),
    ]
    const body: Fields = { ...pair.body, ...pair.limit, tools: [], [pair.list]: list }
    await (await ask(written(body, true))).text()
    const sent = got()[0]!.body as Fields
    const { [pair.list]: short, ...rest } = sent
    const { [pair.list]: _, ...given } = { ...body, stream: true } as Fields
    expect(rest).toEqual({ ...given, ...('options' in rest && { options: rest.options }) })
    const texts = new Set(list.map(entry => JSON.stringify(entry)))
    const entries = (short as readonly object[]).map(entry => JSON.stringify(entry))
    const own = entries.filter(entry => texts.has(entry))
    expect(entries.length).toBeLessThan(list.length)
    expect(own.length).toBeGreaterThan(8)
    // The client's own are in their order, and the others are few: some are the client's, as one line.
    const cleared = entries.filter(entry => entry.includes(' is left out here'))
    const added = entries.filter(entry => !texts.has(entry) && !cleared.includes(entry))
    const order = own.map(entry => list.findIndex(one => JSON.stringify(one) === entry))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
    expect(added.length).toBeLessThan(6)
    expect(cleared.length).toBeGreaterThan(0)
    expect(cleared.filter(entry => !entry.includes('"x_own":true'))).toEqual([])
    expect(entries.at(-1)).toBe(JSON.stringify(list.at(-1)))
  })
})
