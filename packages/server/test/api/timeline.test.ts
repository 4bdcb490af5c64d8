import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFitter, fit, sliding } from '@throughline/core/context'
import { estimate } from '@throughline/core/counters'
import type { Receipt } from '@throughline/core/explain'
import { type Fate, fates, toFateText } from '@throughline/core/fates'
import { type MessageLike, readMessage } from '@throughline/core/messages'
import { randomConversation } from '@throughline/core/testing'
import { ModelError } from '@throughline/models/model'
import { rules } from '@throughline/models/reader'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { apiClient } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { isLong } from '@throughline/test-tools/is-long'
import { once } from '@throughline/test-tools/once'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { fateRuns } from '../../src/api/timeline/point.ts'
import { readerUpstream } from '../../src/upstream/reader-upstream.ts'
import type { Upstream } from '../../src/upstream/upstream.ts'

const chat = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../examples/project-chat.json'), 'utf8'),
) as readonly MessageLike[]

/** What is fitted at each of its places. */
const replayed = isLong ? chat : chat.slice(0, 200)

interface Line {
  readonly at: number
  readonly turn: number
  readonly user: number
  readonly call?: string
  readonly status?: string
  readonly tokens: number
  readonly reused: number
  readonly anew: number
  readonly fates: string
  readonly entry?: Fate
  readonly counts: Readonly<Record<Fate, number>>
  readonly parts: Readonly<Record<string, number>>
  readonly cut?: { readonly before: number }
  readonly against: readonly { policy: string; tokens: number; reused: number; anew: number }[]
}

const linesOf = (text: string): readonly Line[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Line)

/** The fates of a receipt in the form of a timeline, without the cost of the stretches. */
const plainFates = ({ entries }: Pick<Receipt, 'entries'>) =>
  entries.map(({ fate }) => `1${fate[0]}`).join('')

const expanded = (text: string) =>
  text.replace(/(\d+)([a-z])/g, (_, many: string, letter: string) =>
    `1${letter}`.repeat(Number(many)),
  )

async function startSample(store?: Store, messages = chat) {
  const server = await startServer(store ? { store } : {})
  await server.history.import(JSON.stringify({ title: 'Toad patrol', messages, time: 0 }), {
    as: 'toads',
  })
  return { ...server, api: apiClient(server.url) }
}

/** What a fitter gives wherever the model was asked in the project chat. Made once for all stores. */
const fitted = once(() => {
  const room = { window: 4096, reserve: 512 }
  const own = createFitter(room)
  const other = createFitter({ ...room, policy: sliding({ messages: 50 }) })
  return replayed.flatMap((message, seq) => {
    const next = replayed[seq + 1]
    own.append(message)
    other.append(message)
    if (message.role === 'assistant' || (next && next.role !== 'assistant')) return []
    const { receipt } = own.context()
    const { receipt: last50 } = other.context()
    const reused = receipt.prefix?.tokens ?? 0
    return [
      {
        ...{ at: seq + 1, ...room, policy: 'balanced', reused, anew: receipt.tokens - reused },
        ...{
          tokens: receipt.tokens,
          free: receipt.free,
          margin: receipt.margin,
          counts: receipt.counts,
        },
        against: [
          { policy: 'sliding-50', tokens: last50.tokens, reused: last50.prefix?.tokens ?? 0 },
        ],
        ...(receipt.entries[20] && { entry: receipt.entries[20].fate }),
        cutBefore: receipt.cut && receipt.cut.before + 1,
        entries: plainFates(receipt),
      },
    ]
  })
})

const stores = await someStores()

describe.each(stores)('a timeline of %s', (_, create) => {
  it('is what a fitter gives at each place of a conversation without calls', async () => {
    const { api } = await startSample(create(), replayed)
    const { status, body } = await api.get(
      '/conversations/toads/timeline?window=4096&reserve=512&entry=21',
    )
    expect(status).toBe(200)
    const lines = linesOf(body)
    expect([lines.length, lines.at(-1)?.turn]).toEqual(isLong ? [252, 168] : [98, 68])
    for (const [place, line] of lines.entries()) {
      const { cutBefore, entries, ...expected } = fitted()[place]!
      expect(line).toMatchObject(expected)
      expect(expanded(line.fates)).toBe(entries)
      expect(line.cut?.before).toBe(cutBefore)
      expect(Object.values(line.parts).reduce((sum, part) => sum + part, 0)).toBe(line.tokens)
    }
    const { body: life } = await api.get(
      '/conversations/toads/entries/21/life?window=4096&reserve=512',
    )
    expect(
      life.runs.map((run: { fate: string; points: number }) => [run.fate, run.points]),
    ).toEqual(runsOf(lines.flatMap(({ entry }) => (entry ? [entry] : []))))
    // From a place on: the same lines, with what they share with the one before.
    const { body: rest } = await api.get(
      '/conversations/toads/timeline?window=4096&reserve=512&since=190',
    )
    const { entry: _, ...first } = lines.find(({ at }) => at >= 190)!
    expect(linesOf(rest)[0]).toEqual(first)
    const { body: page } = await api.get(
      '/conversations/toads/timeline?window=4096&reserve=512&limit=3',
    )
    expect(linesOf(page).map(({ at }) => at)).toEqual(lines.slice(0, 3).map(({ at }) => at))
  })

  it('tells of stored calls what was sent, also on a branch, and of a past without calls what would be', async () => {
    const { api, history } = await startSample(create())
    await api.say('toads', 'Which grid reference does Priya want for the fence?', {
      system: 'Be brief.',
    })
    await api.say('toads', 'Thank you! And the count for bucket five?', { system: 'Be brief.' })
    await api.post('/conversations/toads/fork', { at: 525, as: 'other' })
    await api.say('toads', 'Where does Wilf live?', {}, '?branch=other')
    const { body } = await api.get('/conversations/toads/timeline?branch=other&since=510')
    const lines = linesOf(body)
    const called = lines.filter(line => line.call !== undefined)
    expect(called).toHaveLength(2)
    expect(called.map(({ status }) => status)).toEqual(['completed', 'completed'])
    const calls = await Promise.all(
      ['main', 'other'].map(branch => history.thread('toads', { branch }).calls()),
    )
    expect(called.map(({ call }) => call)).toEqual([calls[0]!.at(-1)!.id, calls[1]![0]!.id])
    // A call of the shared past is found from the branch, one after the fork is not.
    const path = '/conversations/toads/calls'
    expect((await api.get(`${path}/${called[0]!.call}?branch=other`)).body.id).toBe(called[0]!.call)
    expect((await api.get(`${path}/${calls[0]![0]!.id}?branch=other`)).status).toBe(404)
    const { body: told } = await api.get('/conversations/toads/timeline?since=510')
    const [one, two] = linesOf(told).filter(line => line.call !== undefined)
    // The context as it was, made again at its place.
    const { body: now } = await api.get(`/conversations/toads/context?at=${two!.at}`)
    expect(two).toMatchObject({
      tokens: now.tokens,
      counts: now.counts,
      free: now.free,
      margin: now.margin,
    })
    const sent = await Promise.all(
      [one, two].map(
        async line => (await api.get(`/conversations/toads/calls/${line!.call}`)).body.messages,
      ),
    )
    const { factor = 1 } = two as { readonly factor?: number }
    expect(two!.reused).toBe(Math.round(sharedIn(sent[0], sent[1]) * factor))
    expect(two!.cut).toEqual(now.cut)
    expect(two!.reused).toBeGreaterThan(0)
    expect(one!.user).toBe(one!.at)
  })
})

/** The tokens of the common beginning of two lists, counted message by message. */
function sharedIn(before: readonly MessageLike[], messages: readonly MessageLike[]): number {
  const count = estimate()
  const differs = messages.findIndex(
    (one, at) => JSON.stringify(one) !== JSON.stringify(before[at]),
  )
  const same = messages.slice(0, differs).map(one => count.message(readMessage(one, 0)))
  return same.reduce((sum, tokens) => sum + tokens, count.prompt ?? 0)
}

function runsOf(list: readonly Fate[]) {
  const runs: [Fate, number][] = []
  for (const fate of list) {
    const last = runs.at(-1)
    if (last?.[0] === fate) last[1] += 1
    else runs.push([fate, 1])
  }
  return runs
}

describe('fates in runs', () => {
  const cases = process.env.THROUGHLINE_LONG ? 400 : 12

  it('are those of the receipt, message by message', () => {
    for (let seed = 1; seed <= cases; seed++) {
      const messages = randomConversation(seed, 40 + seed)
      const { receipt } = fit(messages, {
        ...{ window: 256 + 16 * (seed % 40), overflow: 'keep' },
        notes: ([false, 'inline', 'system'] as const)[seed % 3]!,
      })
      const inLog = receipt.stretches.map(one => ({
        ...one,
        first: one.first + 1,
        last: one.last + 1,
      }))
      expect(expanded(toFateText(fateRuns(inLog, messages.length)))).toBe(plainFates(receipt))
    }
  })

  it('hold for stretches that nobody should believe', () => {
    const odd = fates.flatMap((fate, n) => [
      { first: -5, last: 1e9, fate },
      { first: 7 - n, last: 3, fate },
      { first: 2, last: 4, fate },
    ])
    expect(expanded(toFateText(fateRuns(odd, 6)))).toHaveLength(12)
  })
})

describe('a timeline that goes on', () => {
  it('gives the same as one that is made anew, turn by turn, with attempts that failed', async () => {
    const { url, store, history } = await startServer({ upstream: failing() })
    const api = apiClient(url)
    const strip = (text: string) => linesOf(text).map(line => JSON.stringify(line))
    for (let turn = 1; turn <= 12; turn++) {
      await api.say(
        'a',
        `Message ${turn}: ${'we talked about the weather and the garden. '.repeat(20)}`,
      )
      const { body: goesOn } = await api.get('/conversations/a/timeline')
      const { url: other } = await startServer({ store })
      const { body: anew } = await apiClient(other).get('/conversations/a/timeline')
      expect(strip(goesOn)).toEqual(strip(anew))
      const { body: since } = await api.get(`/conversations/a/timeline?since=${2 * turn - 1}`)
      expect(strip(since)).toEqual(strip(anew).slice(-strip(since).length))
    }
    const lines = linesOf((await api.get('/conversations/a/timeline')).body)
    expect(lines.filter(({ status }) => status === 'failed').length).toBeGreaterThan(2)
    expect(lines).toHaveLength((await history.thread('a').calls()).length)
    // Several readers at once get the same.
    const all = await Promise.all(
      Array.from({ length: 5 }, () => api.get('/conversations/a/timeline')),
    )
    for (const { body } of all) expect(strip(body)).toEqual(lines.map(line => JSON.stringify(line)))
  })

  it('reads no further when its client has left', async () => {
    const plain = memoryStore()
    let [read, hasLeft, isLeft] = [0, false, false]
    const store: Store = {
      ...plain,
      async *entries(...range) {
        try {
          for await (const entry of plain.entries(...range)) {
            read += 1
            // The server is given the time to notice.
            if (hasLeft) await new Promise(resolve => setTimeout(resolve, 5))
            yield entry
          }
        } finally {
          isLeft = hasLeft
        }
      },
    }
    const { url } = await startSample(store)
    const response = await fetch(`${url}/throughline/v1/conversations/toads/timeline`)
    const reader = response.body!.getReader()
    await reader.read()
    hasLeft = true
    await reader.cancel()
    await expect.poll(() => isLeft).toBe(true)
    expect(read).toBeLessThan(400)
  })
})

/** A model whose every third call fails before it says anything. */
function failing(): Upstream {
  let calls = 0
  const model = rules(
    () => {
      calls += 1
      if (calls % 3 === 0)
        throw new ModelError('model_unavailable', 'It is busy.', { retryAfterMs: 1 })
      return 'I see.'
    },
    { name: 'busy', window: 2048 },
  )
  return { ...readerUpstream(), model: () => model }
}
