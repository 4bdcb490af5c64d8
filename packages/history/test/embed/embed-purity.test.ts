import { words } from '@throughline/core/counters'
import type { Embedder } from '@throughline/core/recall'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { standInVector } from '@throughline/test-tools/stand-in-embedder'
import { ask, fact, question, said } from '@throughline/test-tools/tale'
import { describe, expect, it } from 'vitest'
import { createHistory } from '../../src/create-history.ts'
import { packChunk, unpackChunk } from '../../src/log/vectors/vector-chunk.ts'
import type { Thread } from '../../src/thread.ts'

const runs = process.env.THROUGHLINE_LONG ? 60 : 1
const model = 'unsteady'

/** Numbers from 0 to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Fails, refuses a text or answers nonsense half of the time, in stretches. */
function unsteady(next: () => number): Embedder & { readonly weight: number } {
  let mood = 1
  return {
    model,
    weight: 1,
    async embed(texts) {
      if (next() < 0.3) mood = next()
      if (mood < 0.3) throw new Error('away')
      if (mood < 0.4) return texts.map(() => [Number.NaN])
      if (mood < 0.5 && texts.some(text => text.includes('ferry'))) throw new Error('refused')
      return texts.map(standInVector)
    },
  }
}

interface Sent {
  readonly branch: string
  readonly at: number
  readonly bytes: string
}

const bytes = async (thread: Thread, at?: number) =>
  JSON.stringify((await thread.context(at === undefined ? {} : { at })).messages)

/** A conversation with restarts, forks, late vectors and writes that fail. What was sent for every message. */
async function live(store: Store, seed: number): Promise<readonly Sent[]> {
  const next = numbers(seed)
  const embed = unsteady(next)
  let isFull = false
  const disk: Store = {
    ...store,
    async saveCache(...given) {
      if (isFull) throw new Error('full')
      return store.saveCache(...given)
    },
  }
  let clock = 1
  const open = () =>
    createHistory({
      store: disk,
      window: 420,
      count: words(),
      now: () => clock++,
      embed,
    })
  let history = open()
  let thread = history.thread('a')
  const sent: Sent[] = []
  for (let turn = 0; turn < 70; turn++) {
    if (next() < 0.05) history = open()
    if (next() < 0.04) isFull = !isFull
    thread = history.thread('a', { branch: thread.key.branch })
    const head = (await store.head(thread.key))?.head ?? 0
    if (next() < 0.05 && head > 40)
      thread = await thread.fork({ at: head - 2 * Math.floor(next() * 10), branch: `b${turn}` })
    if (next() < 0.05) await thread.embed()
    const begun = await ask(thread, turn > 20 && next() < 0.3 ? question : said(turn)[0])
    sent.push({ branch: thread.key.branch, at: begun.next - 1, bytes: await bytes(thread) })
    await begun.complete({ role: 'assistant', content: said(turn)[1] })
  }
  return sent
}

/** The contexts that are not what they were, when they are made again without any embedder. */
async function differing(store: Store, sent: readonly Sent[]): Promise<number> {
  const gone = { model, weight: 1, embed: () => Promise.reject(new Error('gone')) }
  const cold = createHistory({ store, window: 420, count: words(), embed: gone })
  let count = 0
  for (const { branch, at, bytes: before } of sent)
    if ((await bytes(cold.thread('a', { branch }), at)) !== before) count += 1
  return count
}

describe('contexts with an unsteady embedder', () => {
  it('are the same bytes when they are made again', async () => {
    let found = 0
    for (let seed = 0; seed < runs; seed++) {
      const store = memoryStore()
      const sent = await live(store, seed)
      found += sent.filter(({ bytes }) => bytes.includes(fact) && bytes.includes('Earlier')).length
      expect(`seed ${seed}: ${await differing(store, sent)} differ`).toBe(`seed ${seed}: 0 differ`)
    }
    // It is about vectors that do find something.
    expect(found).toBeGreaterThan(runs)
  })

  it('would differ if vectors counted at once when they come late', async () => {
    let different = 0
    // The first seed whose vectors come late and are asked for.
    for (let seed = 5; seed < 25 && different === 0; seed++) {
      const store = memoryStore()
      const sent = await live(store, seed)
      const key = { tenant: 'default', conversation: 'a', actor: 'assistant', branch: 'main' }
      for (const name of [`vectors 1 0 ${model}`, `vectors 1 1 ${model}`]) {
        const saved = await store.loadCache(key, name)
        const chunk = saved && unpackChunk(saved.bytes)
        if (!chunk) continue
        const since = chunk.since.map(place => (place > 0 ? 1 : 0))
        await store.saveCache(key, name, saved.at, packChunk({ ...chunk, since }))
      }
      different += await differing(store, sent)
    }
    expect(different).toBeGreaterThan(0)
  })
})
