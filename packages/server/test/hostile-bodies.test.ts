import { damaged } from '@throughline/models/fixtures'
import { rules } from '@throughline/models/reader'
import { memoryStore } from '@throughline/stores/memory'
import { isLong } from '@throughline/test-tools/is-long'
import { storeWaitMs } from '@throughline/test-tools/start-server'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { createServer } from '../src/create-server.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'
import { chatPair } from './native/chat-pair.ts'
import { messagesPair } from './native/messages-pair.ts'
import { ollamaPair } from './native/ollama-pair.ts'
import { responsesPair } from './native/responses-pair.ts'

const pairs = [chatPair, messagesPair, responsesPair, ollamaPair]
const bodies = isLong ? 10_000 : 200
if (!isLong) console.info('Skipped: most of 10,000 hostile bodies, only in the long run')

it(`answers or refuses ${bodies} hostile bodies, and then a good one`, {
  timeout: 3_600_000,
}, async () => {
  const model = rules(() => 'Fine.', { window: 1_000_000 })
  const upstream = { ...readerUpstream(), model: () => model }
  const server = createServer({ store: memoryStore(), storeWaitMs, upstream })
  onTestFinished(() => server.close())
  const post = async (path: string, body: string) => {
    const headers = { 'content-type': 'application/json' }
    const response = await server.fetch(
      new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body }),
    )
    return { status: response.status, text: await response.text() }
  }
  const statuses = new Map<number, number>()
  for (const pair of pairs) {
    const good = {
      ...pair.body,
      [pair.list]: [...pair.turn(1, 'a leaf'), pair.question('And now?')],
    }
    const text = fc.oneof(
      { weight: 6, arbitrary: damaged(good).map(body => JSON.stringify(body) ?? '') },
      // Cut off, or with a piece of it in another place.
      {
        weight: 2,
        arbitrary: fc.nat({ max: 3000 }).map(at => JSON.stringify(good).slice(0, at)),
      },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
    )
    const property = fc.asyncProperty(text, async body => {
      const answer = await post(pair.path, body)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      expect([answer.status < 500, body]).toEqual([true, body])
      // What is refused is refused in words.
      if (answer.status !== 200) expect(JSON.parse(answer.text)).toHaveProperty('error')
    })
    await fc.assert(property, { numRuns: bodies / pairs.length, seed: 50, endOnFailure: true })
    const plain = {
      model: 'm',
      max_tokens: 50,
      stream: false,
      [pair.list]: [{ role: 'user', content: 'Well?' }],
    }
    expect((await post(pair.path, JSON.stringify(plain))).status).toBe(200)
  }
  console.info(
    `${bodies} hostile bodies: ${[...statuses]
      .sort()
      .map(row => row.join(' × '))
      .join(', ')}`,
  )
  expect(statuses.get(400)).toBeGreaterThan(bodies / 4)
})
