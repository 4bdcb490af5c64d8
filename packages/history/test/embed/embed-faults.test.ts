import { words } from '@throughline/core/counters'
import type { Embedder } from '@throughline/core/recall'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { standInEmbedder } from '@throughline/test-tools/stand-in-embedder'
import { ask, fact, question, said, tell } from '@throughline/test-tools/tale'
import { describe, expect, it } from 'vitest'
import { createHistory } from '../../src/create-history.ts'
import type { HistoryOptions } from '../../src/history.ts'
import type { Thread } from '../../src/thread.ts'

const open = (store: Store, embed: HistoryOptions['embed']) => {
  let clock = 1
  return createHistory({
    store,
    window: 420,
    count: words(),
    now: () => clock++,
    ...(embed && { embed }),
  })
}

const bytes = async (thread: Thread) => JSON.stringify((await thread.context()).messages)

describe('an embedder', () => {
  it.each<readonly [string, string, Embedder['embed']]>([
    ['fails', 'Error', () => Promise.reject(new Error('away'))],
    [
      'throws at once',
      'Error',
      () => {
        throw new Error('broken')
      },
    ],
    ['never answers', 'EmbedError', () => new Promise(() => undefined)],
    ['answers nonsense', 'EmbedError', async texts => texts.map(() => [Number.NaN])],
    [
      'answers with vectors that are far too long',
      'EmbedError',
      async texts => texts.map(() => new Float64Array(9000)),
    ],
  ])('that %s costs no message and changes no context', async (_, name, embed) => {
    const errors: unknown[] = []
    const options = {
      model: 'm',
      embed,
      waitMs: 5,
      onError: (error: unknown) => errors.push(error),
    }
    const store = memoryStore()
    const thread = open(store, options).thread('a')
    await tell(thread, 0, 30)
    await ask(thread)
    const plain = open(memoryStore(), undefined).thread('a')
    await tell(plain, 0, 30)
    await ask(plain)
    expect(await bytes(thread)).toBe(await bytes(plain))
    expect(errors).toHaveLength(31)
    expect(new Set(errors.map(error => (error as Error).name))).toEqual(new Set([name]))
  })

  it('that is slow does not cost the turn its lease', async () => {
    // The lease goes by the clock of the store, which stands still; it is renewed by a timer.
    const store = memoryStore({ now: () => 0 })
    let renewed = 0
    const watched: typeof store = {
      ...store,
      renew: (...given) => {
        renewed += 1
        return store.renew(...given)
      },
    }
    let release = () => {}
    const held = new Promise<never>((_, reject) => {
      release = () => reject(new Error('away'))
    })
    // A slow machine may come to ask the embedder only after the release.
    held.catch(() => undefined)
    const slow = { model: 'm', embed: () => held, waitMs: 3_600_000 }
    const thread = createHistory({ store: watched, leaseMs: 300, embed: slow }).thread('a')
    const asked = ask(thread)
    await expect.poll(() => renewed).toBeGreaterThan(2)
    await expect(ask(createHistory({ store }).thread('a'))).rejects.toThrow(/held|lease|open/i)
    release()
    const turn = await asked
    await turn.complete({ role: 'assistant', content: 'Here I am.' })
    expect(await thread.messages()).toHaveLength(2)
  })

  it('gives no vectors of another length under the same name', async () => {
    const store = memoryStore()
    await tell(open(store, standInEmbedder()).thread('a'), 0, 20)
    const errors: unknown[] = []
    const other = {
      model: 'stand-in',
      embed: async (texts: readonly string[]) => texts.map(() => [1, 2, 3]),
    }
    const thread = open(store, { ...other, onError: error => errors.push(error) }).thread('a')
    await tell(thread, 20, 21)
    expect(errors).toEqual([expect.objectContaining({ code: 'invalid_vector' })])
    expect(String(errors[0])).toContain('another model needs another name')
  })

  it('whose one text is refused gives all others their vectors', async () => {
    const inner = standInEmbedder()
    const bad = said(3)[0]
    const embed = {
      ...inner,
      async embed(...given: Parameters<Embedder['embed']>) {
        if (given[0].includes(bad)) throw new Error('400')
        return inner.embed(...given)
      },
    }
    const thread = open(memoryStore(), embed).thread('a')
    await tell(thread, 0, 30)
    await ask(thread)
    expect(await bytes(thread)).toContain(fact)
  })

  it('is refused when it is none', () => {
    const store = memoryStore()
    expect(() => open(store, { model: 'm' } as never)).toThrow(/Option "embed"/)
    expect(() => open(store, { ...standInEmbedder(), model: '' })).toThrow(/"embed.model"/)
    expect(() => open(store, { ...standInEmbedder(), weight: -1 })).toThrow(/"embed.weight"/)
    expect(() => open(store, { ...standInEmbedder(), waitMs: 0 })).toThrow(/"embed.waitMs"/)
  })
})

describe('vectors', () => {
  it('that cannot be stored do not count, and the turn goes on', async () => {
    const store = memoryStore()
    let isFull = false
    const failing: Store = {
      ...store,
      async saveCache(...given) {
        if (isFull) throw new Error('disk full')
        return store.saveCache(...given)
      },
    }
    const errors: unknown[] = []
    const thread = open(failing, {
      ...standInEmbedder(),
      onError: error => errors.push(error),
    }).thread('a')
    await tell(thread, 0, 30)
    isFull = true
    const turn = await ask(thread)
    const at = turn.next - 1
    const without = await bytes(thread)
    expect(without).not.toContain(fact)
    expect(errors).toEqual([expect.objectContaining({ message: 'disk full' })])
    await turn.complete({ role: 'assistant', content: 'I see.' })
    isFull = false
    // Until the first question is out of view: it is as close to the second as anything can be.
    await tell(thread, 30, 45)
    await ask(thread)
    expect(await bytes(thread)).toContain(fact)
    // What was sent without vectors is still the same, in this process and in another.
    for (const one of [thread, open(store, standInEmbedder()).thread('a')]) {
      const { messages } = await one.context({ at })
      expect(JSON.stringify(messages)).toBe(without)
    }
  })

  it('of which half was stored when the process died do not count', async () => {
    const store = memoryStore()
    const dying: Store = {
      ...store,
      async saveCache(thread, key, ...rest) {
        if (key.includes('versions')) throw new Error('killed')
        return store.saveCache(thread, key, ...rest)
      },
    }
    await tell(open(store, standInEmbedder()).thread('a'), 0, 30)
    await ask(open(dying, standInEmbedder()).thread('a'))
    expect(await bytes(open(store, standInEmbedder()).thread('a'))).not.toContain(fact)
  })

  it('reach a process that looked at the thread before they were there', async () => {
    const store = memoryStore()
    const inner = standInEmbedder()
    let onAsked = async () => {}
    const embed = {
      ...inner,
      async embed(...given: Parameters<Embedder['embed']>) {
        await onAsked()
        return inner.embed(...given)
      },
    }
    const writer = open(store, embed).thread('a')
    const viewer = open(store, standInEmbedder()).thread('a')
    await tell(writer, 0, 30)
    let early = ''
    onAsked = async () => {
      early = await bytes(viewer)
    }
    await ask(writer)
    expect(early).not.toContain(fact)
    expect(await bytes(writer)).toContain(fact)
    expect(await bytes(viewer)).toBe(await bytes(writer))
  })

  it('of an old thread come turn by turn, or all at once when they are asked for', async () => {
    const store = memoryStore()
    await tell(open(store, undefined).thread('a'), 0, 120)
    const embed = standInEmbedder()
    const thread = open(store, embed).thread('a')
    const before = await bytes(thread)
    await tell(thread, 120, 121)
    expect(embed.asked.map(texts => texts.length)).toEqual([64])
    expect(await thread.embed()).toBe(242 - 64)
    expect(await thread.embed()).toBe(0)
    expect(embed.asked.every(texts => texts.length <= 64)).toBe(true)
    expect(JSON.stringify((await thread.context({ at: 240 })).messages)).toBe(before)
    await ask(thread)
    expect(await bytes(thread)).toContain(fact)
    expect(embed.asked.at(-1)).toEqual([question])
    expect(await open(store, undefined).thread('a').embed()).toBe(0)
  })

  it('are made of the beginning of a long text, without half a character', async () => {
    const embed = standInEmbedder()
    const thread = open(memoryStore(), embed).thread('a')
    await ask(thread, `[Monday] ${'x'.repeat(1999)}😀${'y'.repeat(5000)}`)
    expect(embed.asked).toEqual([['x'.repeat(1999)]])
  })
})
