import { createHistory } from '@throughline/history'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { startServer } from '@throughline/test-tools/start-server'
import { expect, it, onTestFinished } from 'vitest'
import { createServer } from '../src/create-server.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

const long = 2000

/** A list as a client brings it that has talked for months elsewhere. */
const list = (length = long) => [
  ...Array.from({ length }, (_, at) => ({
    role: at % 2 ? 'assistant' : 'user',
    content: `We spoke of the boat, the harbour and berth ${at}.`,
  })),
  { role: 'user', content: 'Which berth did we speak of?' },
]

/** Counts the turns of the event loop, and calls `onTurn` in each. */
function watchTurns(onTurn = () => {}) {
  let turns = 0
  let next: NodeJS.Immediate
  const watch = () => {
    turns += 1
    onTurn()
    next = setImmediate(watch)
  }
  watch()
  const stop = () => clearImmediate(next)
  onTestFinished(stop)
  return { stop, turns: () => turns }
}

/** A store that tells of each entry that is written or read. */
const countingStore = (store: Store, onEntry: () => void): Store => ({
  ...store,
  seed(thread, seed) {
    for (const _ of seed.entries) onEntry()
    return store.seed(thread, seed)
  },
  append(thread, append) {
    for (const _ of append.entries) onEntry()
    return store.append(thread, append)
  },
  async *entries(thread, range) {
    for await (const entry of store.entries(thread, range)) {
      onEntry()
      yield entry
    }
  },
})

const post = (url: string, messages: readonly object[], headers = {}) =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'reader', messages }),
  })

it('others are answered while thousands of messages are read, recognised, stored and indexed', async () => {
  let inRow = 0
  let most = 0
  let begin = () => {}
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  const store = countingStore(memoryStore(), () => {
    begin()
    inRow += 1
    most = Math.max(most, inRow)
  })
  const { url, history } = await startServer({ store })
  const watched = watchTurns(() => {
    inRow = 0
  })
  let isOver = false
  const big = post(url, list()).then(async response => {
    isOver = true
    return response.status
  })
  await begun
  const small = await post(url, [{ role: 'user', content: 'Is anybody there?' }])
  expect(small.status).toBe(200)
  expect(isOver).toBe(false)
  expect(await big).toBe(200)
  // Entries are written a thousand at a time: that is one transaction. They are read, counted and indexed a few at a time.
  expect(most).toBeLessThanOrEqual(1000 + 64)
  expect(
    (await history.conversations())
      .map(({ threads }) => threads[0]!.head)
      .toSorted((a, b) => a - b),
  ).toEqual([2, long + 2])
  watched.stop()
})

it('others are answered while a turn of thousands of rounds is stored', async () => {
  let inRow = 0
  let most = 0
  const store = countingStore(memoryStore(), () => {
    inRow += 1
    most = Math.max(most, inRow)
  })
  const { url, history } = await startServer({ store })
  const watched = watchTurns(() => {
    inRow = 0
  })
  const rounds = Array.from({ length: long }, (_, at) => [
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: `c${at}`, type: 'function', function: { name: 'berth', arguments: `{"of":${at}}` } },
      ],
    },
    { role: 'tool', tool_call_id: `c${at}`, content: `The boat lies at berth ${at}.` },
  ])
  const response = await post(url, [
    { role: 'user', content: 'Look at all berths.' },
    ...rounds.flat(),
  ])
  expect(response.status).toBe(200)
  watched.stop()
  expect(most).toBeLessThanOrEqual(128)
  const [conversation] = await history.conversations()
  expect(conversation!.threads[0]!.head).toBe(1 + 2 * long + 1)
})

it.each([
  ['/v1/chat/completions', 4, 1],
  ['/v1/messages/count_tokens', 1, 0],
] as const)(
  '%s rests after each few messages of a long list',
  async (path, times, timesOfLarge) => {
    const server = createServer({ store: memoryStore(), upstream: readerUpstream() })
    onTestFinished(server.close)
    // Without a port nothing waits for a socket: only rests end a turn of the event loop.
    const turnsFor = async (messages: readonly object[], padding = '') => {
      const watched = watchTurns()
      const body = JSON.stringify({ model: 'reader', messages, padding })
      const response = await server.fetch(
        new Request(`http://127.0.0.1${path}`, { method: 'POST', body }),
      )
      expect(response.status).toBe(200)
      await response.text()
      watched.stop()
      return watched.turns()
    }
    await turnsFor(list(2))
    const few = await turnsFor(list(4))
    expect((await turnsFor(list())) - few).toBeGreaterThanOrEqual((times * long) / 128)
    // The list of a large body is read in pieces too, before it is compared.
    const again = await turnsFor(list())
    const large = await turnsFor(list(), 'x'.repeat(300_000))
    expect(large - again).toBeGreaterThanOrEqual((timesOfLarge * (long - 128)) / 128)
  },
)

it('a grid gives each line when it is made, and stops when its client leaves', async () => {
  const store = memoryStore()
  await createHistory({ store })
    .thread('long')
    .seed(...list(400))
  let entered = 0
  // Each cell of the grid asks for the head of its thread.
  const watching: Store = {
    ...store,
    head(thread) {
      entered += 1
      return store.head(thread)
    },
  }
  const { url } = await startServer({ store: watching })
  const windows = Array.from({ length: 50 }, (_, at) => 1000 + at)
  const leaving = new AbortController()
  const path = `/throughline/v1/conversations/long/grid?windows=${windows}&policies=default,sliding-20`
  const response = await fetch(`${url}${path}`, { signal: leaving.signal })
  const reader = response.body!.getReader()
  const first = Buffer.from((await reader.read()).value!).toString()
  const seen = entered
  // The whole grid asks a hundred times.
  expect(first.split('\n').filter(Boolean).length).toBeLessThan(50)
  expect(seen).toBeLessThan(80)
  leaving.abort()
  await reader.read().catch(() => undefined)
  let last = -1
  for (let still = 0; still < 20; still++) {
    await new Promise(resolve => setImmediate(resolve))
    if (entered !== last) still = 0
    last = entered
  }
  expect(last).toBeLessThan(100)
})
