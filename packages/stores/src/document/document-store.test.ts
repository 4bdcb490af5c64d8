import { describe, expect, it } from 'vitest'
import type { Store } from '../store.ts'
import { storeCases } from '../testing/store-cases.ts'
import { pairCases } from '../testing/store-cases-fork.ts'
import { entry, exchange, long, newThread, open, texts } from '../testing/store-cases-help.ts'
import { type DocumentStoreOptions, documentStore } from './document-store.ts'

type Documents = DocumentStoreOptions<string>

/** Documents in a map, as two processes might share them: every answer takes a moment. */
function shelf(
  texts = new Map<string, string>(),
  { ms = 0, maySave = (stored?: string, expected?: string) => stored === expected } = {},
): Documents {
  const moment = () => new Promise(resolve => setTimeout(resolve, ms))
  return {
    async load(name) {
      await moment()
      const text = texts.get(name)
      return text === undefined ? undefined : { text, version: text }
    },
    async save(name, text, expected) {
      await moment()
      return maySave(texts.get(name), expected) && texts.set(name, text) !== undefined
    },
    async list(prefix) {
      await moment()
      return [...texts.keys()].filter(name => name.startsWith(prefix))
    },
  }
}

const thread = { tenant: '', conversation: 'c', actor: 'a', branch: 'main' }
const second = { ...thread, actor: 'b' }

describe('documentStore', () => {
  for (const { name, run } of storeCases)
    it(name, async () => {
      const documents = shelf()
      expect(await run(async () => documentStore(documents))).toBeUndefined()
    })

  // Controls: two histories on such a store lose conversations, so the cases must not pass it.
  const faultySaves = {
    'never compares versions': () => true,
    'only asks whether the document is there': (stored?: string, expected?: string) =>
      (stored === undefined) === (expected === undefined),
  }
  for (const [fault, maySave] of Object.entries(faultySaves))
    it(`is refused by the cases where save ${fault}`, async () => {
      const documents = shelf(new Map(), { ms: 3, maySave })
      const failures: string[] = []
      for (const { name, run } of pairCases)
        await run(async () => documentStore(documents)).catch(() => failures.push(name))
      expect(failures).toContain('keeps all that two stores write to a conversation at once')
    })

  it('loads and tries again where another process has saved meanwhile', async () => {
    const documents = new Map<string, string>()
    const processes = Array.from({ length: 4 }, () => documentStore(shelf(documents)))
    const write = async (store: Store, actor: string) => {
      for (let n = 0; n < 5; n++) await exchange(store, { ...thread, actor }, `${actor} ${n}`)
    }
    await Promise.all(processes.map((store, n) => write(store, `actor ${n}`)))
    for (let n = 0; n < 4; n++)
      expect(await texts(processes[0]!, { ...thread, actor: `actor ${n}` })).toHaveLength(5)
    expect(await processes[0]!.check()).toEqual([])
  })

  it('lets exactly one of several processes begin', async () => {
    const documents = new Map<string, string>()
    const processes = Array.from({ length: 4 }, () => documentStore(shelf(documents)))
    const begun = await Promise.allSettled(
      processes.map((store, n) => open(store, thread, { owner: `${n}` })),
    )
    expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of begun)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'turn_open' })
  })

  it('gives up where others always save first', async () => {
    const store = documentStore({ ...shelf(), save: async () => false })
    await expect(open(store, thread)).rejects.toMatchObject({ code: 'store_busy' })
  })

  it('takes a write again whose answer got lost', async () => {
    const { save, ...documents } = shelf()
    let isLost = true
    const store = documentStore({
      ...documents,
      async save(...document) {
        const isSaved = await save(...document)
        if (isLost) throw new Error('reset')
        return isSaved
      },
    })
    const begin = { owner: 'ada', leaseMs: long, expectedHead: 0, entries: [entry('question')] }
    const lost = await store.begin(thread, begin).catch(error => error)
    expect(lost).toMatchObject({ code: 'outcome_unknown', cause: new Error('reset') })
    isLost = false
    expect(await store.begin(thread, begin)).toMatchObject({
      kind: 'begun',
      head: 1,
      turn: { turn: 1 },
    })
    expect(await texts(store, thread)).toEqual(['question'])
  })

  it('says what it could not read, and what is no document of its own', async () => {
    const fails = async () => {
      throw new Error('no route')
    }
    const away = documentStore({ ...shelf(), load: fails, list: fails })
    await expect(away.head(thread)).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(away.conversations('')).rejects.toMatchObject({ code: 'store_unavailable' })

    const documents = new Map<string, string>()
    const store = documentStore(shelf(documents))
    await exchange(store, thread, 'a', 'b')
    const [name] = documents.keys()
    for (const text of [
      '',
      '{',
      '[]',
      '{"format":2}',
      documents.get(name!)!.replace('"seq":2', '"seq":3'),
    ]) {
      documents.set(name!, text)
      expect(await store.check()).toHaveLength(1)
    }
    documents.set(name!, '{}')
    await expect(open(store, thread)).rejects.toMatchObject({ code: 'store_corrupt' })
  })

  it('saves nothing where nothing has changed', async () => {
    const documents = shelf()
    const saved: string[] = []
    const store = documentStore({
      ...documents,
      save: (name, ...rest) => {
        saved.push(name)
        return documents.save(name, ...rest)
      },
    })
    await exchange(store, thread, 'a')
    const count = saved.length
    await expect(open(store, thread, { expectedHead: 7 })).rejects.toMatchObject({
      code: 'conflict',
    })
    await store.seed(second, { expectedHead: 3, entries: [] }).catch(() => undefined)
    await store.deleteConversation('', 'never')
    await store.head(newThread())
    expect(saved).toHaveLength(count)
    expect(new Set(saved).size).toBe(1)
    expect(saved[0]).toMatch(/^[0-9a-f]{32}\/[0-9a-f]{32}\.json$/)
  })
})
