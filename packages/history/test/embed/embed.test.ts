import { words } from '@throughline/core/counters'
import type { Embedder } from '@throughline/core/recall'
import type { Store } from '@throughline/stores/store'
import { someStores } from '@throughline/test-tools/every-store'
import { standInEmbedder } from '@throughline/test-tools/stand-in-embedder'
import { ask, fact, question, tell } from '@throughline/test-tools/tale'
import { describe, expect, it } from 'vitest'
import { createHistory } from '../../src/create-history.ts'
import type { HistoryOptions } from '../../src/history.ts'
import { packChunk, unpackChunk } from '../../src/log/vectors/vector-chunk.ts'
import type { Thread } from '../../src/thread.ts'

const open = (store: Store, embed?: HistoryOptions['embed']) => {
  let clock = 1
  return createHistory({
    store,
    window: 420,
    count: words(),
    now: () => clock++,
    ...(embed && { embed }),
  })
}

const bytes = async (thread: Thread, at?: number) =>
  JSON.stringify((await thread.context(at === undefined ? {} : { at })).messages)

/** An embedder that fails while it is away. */
function leaving() {
  const inner = standInEmbedder()
  const embedder = {
    ...inner,
    isAway: false,
    async embed(...given: Parameters<Embedder['embed']>) {
      if (embedder.isAway) throw new Error('away')
      return inner.embed(...given)
    },
  }
  return embedder
}

/** A question while the embedder is away, and again when it is back: what was sent each time, by the place of the question. */
async function talk(store: Store): Promise<ReadonlyMap<number, string>> {
  const embed = leaving()
  const thread = open(store, embed).thread('a')
  const sent = new Map<number, string>()
  const asked = async () => {
    const turn = await ask(thread)
    sent.set(turn.next - 1, await bytes(thread))
    await turn.complete({ role: 'assistant', content: 'I see.' })
  }
  await tell(thread, 0, 25)
  embed.isAway = true
  await asked()
  await tell(thread, 25, 27)
  embed.isAway = false
  await tell(thread, 27, 40)
  await asked()
  return sent
}

describe.each(await someStores())('vectors on the store %s', (_, create) => {
  it('bring back a fact that shares no word with the question', async () => {
    const store = create()
    for (const embed of [undefined, standInEmbedder()]) {
      const thread = open(store, embed).thread(embed ? 'with' : 'without')
      await tell(thread, 0, 30)
      await ask(thread)
      const { messages, receipt } = await thread.context()
      expect(JSON.stringify(messages).includes(fact)).toBe(embed !== undefined)
      const { fate, why } = receipt.entries[4]!
      expect([fate, why]).toEqual(
        embed ? ['recalled', 'close in meaning to the message'] : ['omitted', expect.any(String)],
      )
    }
  })

  it('give the same bytes when a context is made again: cold, without the embedder, and when vectors came late', async () => {
    const store = create()
    const sent = await talk(store)
    const [away, back] = [...sent.values()]
    expect(away).not.toContain(fact)
    expect(back).toContain(fact)
    const gone = { model: 'stand-in', embed: () => Promise.reject(new Error('gone')) }
    for (const embed of [standInEmbedder(), gone]) {
      const cold = open(store, embed).thread('a')
      for (const [at, before] of sent) expect(await bytes(cold, at)).toBe(before)
    }
    // The control: with vectors that count from the beginning, the first question would have found its answer.
    const key = { tenant: 'default', conversation: 'a', actor: 'assistant', branch: 'main' }
    const { at, bytes: stored } = (await store.loadCache(key, 'vectors 1 0 stand-in'))!
    const chunk = unpackChunk(stored)!
    await store.saveCache(
      key,
      'vectors 1 0 stand-in',
      at,
      packChunk({ ...chunk, since: chunk.since.fill(1) }),
    )
    const changed = open(store, standInEmbedder()).thread('a')
    expect(await bytes(changed, [...sent.keys()][0])).not.toBe(away)
  })

  it('replay a call byte for byte without any embedder', async () => {
    const store = create()
    const thread = open(store, standInEmbedder()).thread('a')
    await tell(thread, 0, 30)
    await ask(thread)
    const context = await thread.context()
    const call = await thread.saveCall(context, { model: 'm' })
    const later = open(store).thread('a')
    expect(JSON.stringify(await later.replay(call))).toBe(JSON.stringify(context.messages))
    expect(await bytes(later)).not.toContain(fact)
  })

  it('are shared by a fork, which asks only for what is new to it', async () => {
    const store = create()
    const embed = standInEmbedder()
    const thread = open(store, embed).thread('a')
    await tell(thread, 0, 40)
    const sixtieth = await bytes(thread, 61)
    // The last entry that both share is a reply: the thread asked for its vector when the next turn began.
    const fork = await thread.fork({ at: 60, branch: 'other' })
    const before = embed.asked.length
    await ask(fork)
    const texts = embed.asked.slice(before).flat()
    expect(texts).toEqual([question, expect.stringMatching(/^Noted/)])
    const now = await bytes(fork)
    expect(now).toContain(fact)
    await tell(thread, 40, 45)
    expect(await bytes(open(store, standInEmbedder()).thread('a', { branch: 'other' }))).toBe(now)
    expect(await bytes(open(store, standInEmbedder()).thread('a'), 61)).toBe(sixtieth)
    const twice = await fork
      .fork({ at: 61, branch: 'twice' })
      .catch(() => fork.fork({ at: 60, branch: 'twice' }))
    await ask(twice)
    expect(await bytes(twice)).toContain(fact)
  })

  it('go with their conversation, and are asked for once', async () => {
    const store = create()
    const embed = standInEmbedder()
    const history = open(store, embed)
    await tell(history.thread('a'), 0, 12)
    await tell(open(store, embed).thread('a'), 12, 14)
    const texts = embed.asked.flat()
    expect(new Set(texts).size).toBe(texts.length)
    // One request for each turn.
    expect(embed.asked.length).toBe(14)
    const key = { tenant: 'default', conversation: 'a', actor: 'assistant', branch: 'main' }
    expect(await store.loadCache(key, 'vectors 1 0 stand-in')).toBeDefined()
    await history.delete('a')
    expect(await store.loadCache(key, 'vectors 1 0 stand-in')).toBeUndefined()
  })
})
