import type { RestoreEntries, Store, ThreadKey } from '../stores/store.ts'
import { equal, pluck, refused, storeCase } from './store-case.ts'
import { entry, exchange, findAll, long, open, read, texts } from './store-cases-help.ts'

/** Restoring a log from an export or another store. */
export const restoreCases = [
  storeCase('restores entries and turns as they once were, and once', async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    await store.seed(thread, { expectedHead: 2, entries: [entry('seeded')] })
    const failing = await open(store, thread, { key: 'k', body: 'hash', entries: [entry('c')] })
    const end = { lease: failing.lease, expectedHead: 4, entries: [], status: 'failed' } as const
    await store.end(thread, { ...end, error: 'overloaded' })
    const empty = await open(store, thread, { entries: [] })
    await store.end(thread, { lease: empty.lease, expectedHead: 4, entries: [], status: 'cancelled' })
    const stretch = await stretchOf(store, thread)
    const copy = { ...thread, conversation: 'copy' }
    for (const time of ['first', 'second']) {
      equal(await store.restore(copy, stretch), { head: 4 }, `what the ${time} restore says`)
      equal(await stretchOf(store, copy), stretch, `what is there after the ${time} restore`)
      equal(await store.head(copy), { head: 4, turns: 3 }, `the head after the ${time} restore`)
    }
  }),
  storeCase('goes on after a restore: numbers, keys, search, repeated appends', async (store, thread) => {
    const begun = await open(store, thread, { key: 'k', body: 'hash', entries: [entry('blue heron')] })
    const answer = entry('a bird', { role: 'assistant' })
    const end = { lease: begun.lease, expectedHead: 1, entries: [answer], status: 'completed' } as const
    await store.end(thread, end)
    const copy = { ...thread, conversation: 'copy' }
    await store.restore(copy, await stretchOf(store, thread))
    const request = { owner: 'ada', leaseMs: long, key: 'k', entries: [entry('again')] }
    const replayed = await store.begin(copy, { ...request, body: 'hash' })
    equal([replayed.kind, replayed.turn], ['replayed', (await store.turns(thread))[0]], 'the same key')
    await refused(() => store.begin(copy, { ...request, body: 'other' }), 'key_reused')
    await refused(() => store.renew(copy, begun.lease, long), 'lease_lost')
    const next = await open(store, copy, { expectedHead: 2, entries: [entry('and then?')] })
    equal([next.turn.turn, next.turn.first, next.head], [2, 3, 3], 'the next turn')
    await store.append(copy, { lease: next.lease, expectedHead: 3, entries: [answer] })
    equal(await texts(store, copy), ['blue heron', 'a bird', 'and then?'], 'the entries')
    const hits = await findAll(store, thread.tenant, 'heron')
    equal(hits.map(f => `${f.thread.conversation}/${f.seq}`).sort(), ['copy/1', 'lemonade/1'], 'found')
  }),
  storeCase('restores stretch by stretch, each as often as one likes', async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    await exchange(store, thread, 'c', 'd')
    await exchange(store, thread, 'e', 'f')
    const whole = await stretchOf(store, thread)
    const copy = { ...thread, conversation: 'copy' }
    const cut = (from: number, to: number) => part(whole, from, to)
    const heads = []
    for (const stretch of [cut(1, 2), cut(1, 4), cut(3, 4), cut(3, 6), cut(1, 2)])
      heads.push((await store.restore(copy, stretch)).head)
    equal(heads, [2, 4, 4, 6, 6], 'the heads')
    equal(await stretchOf(store, copy), whole, 'what is there')
  }),
  storeCase('restores an open turn as one whose writer is gone', async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    const { lease } = await open(store, thread, { entries: [entry('c')] })
    const stretch = await stretchOf(store, thread)
    const copy = { ...thread, conversation: 'copy' }
    await store.restore(copy, stretch)
    const head = await store.head(copy)
    equal([head?.open?.turn, head?.open?.status, head?.open?.expiresInMs], [2, 'open', 0], 'the open turn')
    const late = { lease, expectedHead: 3, entries: [entry('not yours')] }
    await refused(() => store.append(copy, late), 'lease_lost')
    await store.restore(copy, stretch)
    equal(await stretchOf(store, copy), stretch, 'what is there after it was repeated')
    const later = { entries: [{ ...entry('late'), seq: 4, turn: 0 }], turns: [] }
    await refused(() => store.restore(copy, later), 'turn_open')
    const closing = { entries: [entry('[Interrupted.]', { role: 'assistant' })] }
    const next = await open(store, copy, { closing, entries: [entry('d')] })
    equal([next.turn.turn, next.turn.first], [3, 5], 'the next turn')
    equal(await texts(store, copy), ['a', 'b', 'c', '[Interrupted.]', 'd'], 'the entries')
    equal(pluck(await store.turns(copy), 'status'), ['completed', 'interrupted', 'open'], 'the turns')
  }),
  storeCase(
    'restores an open turn that nobody holds, after one that was written here',
    async (store, thread) => {
      await exchange(store, thread, 'a', 'b')
      const { endedAt: _, ...turn } = turnAt(2, 2_000).turns[0]!
      await store.restore(thread, { ...turnAt(2, 2_000), turns: [{ ...turn, status: 'open' }] })
      equal((await store.head(thread))?.open?.expiresInMs, 0, 'how long it is held')
      equal((await open(store, thread)).turn.turn, 3, 'the next turn')
    },
  ),
  storeCase('restores a branch on the past that it shares', async (store, thread) => {
    await exchange(store, thread, 'heron', 'b')
    await exchange(store, thread, 'c', 'd')
    for (const branch of ['edit', 'idle']) await store.fork(thread, { at: 2, branch })
    const edit = { ...thread, branch: 'edit' }
    const idle = { ...thread, branch: 'idle' }
    await exchange(store, edit, 'C', 'D')
    const into = (key: ThreadKey) => ({ ...key, conversation: 'copy' })
    await store.restore(into(thread), await stretchOf(store, thread))
    const content = part(await stretchOf(store, edit), 3, 4)
    for (let time = 0; time < 2; time++) {
      await store.restore(into(idle), { forkOf: { branch: 'main', at: 2 }, entries: [], turns: [] })
      await store.restore(into(edit), { forkOf: { branch: 'main', at: 2 }, ...content })
    }
    // The whole branch with its shared past, which is stored already.
    await store.restore(into(edit), await stretchOf(store, edit))
    for (const key of [thread, edit, idle]) {
      equal(await stretchOf(store, into(key)), await stretchOf(store, key), `the branch ${key.branch}`)
      equal(await store.head(into(key)), await store.head(key), `its head`)
    }
    const threads = pluck(await findAll(store, thread.tenant, 'heron'), 'thread')
    const copied = threads.filter(({ conversation }) => conversation === 'copy')
    equal(copied, [into(thread)], 'found where it was written')
    equal((await open(store, into(idle))).turn.turn, 2, 'the next turn of a branch without its own')
  }),
  storeCase('dates a restored conversation by what is in it', async (store, thread) => {
    const dates = async () => {
      const [info] = await store.conversations(thread.tenant)
      return [info?.createdAt, info?.updatedAt]
    }
    await store.restore(thread, turnAt(1, 5_000))
    equal(await dates(), [5_000, 5_002], 'after the first stretch')
    await store.restore(thread, turnAt(2, 7_000))
    equal(await dates(), [5_000, 7_002], 'after a later one')
    await store.restore({ ...thread, actor: 'bob' }, turnAt(1, 3_000))
    equal(await dates(), [5_000, 7_002], 'after an older one')
    await store.restore(thread, turnAt(1, 5_000))
    equal(await dates(), [5_000, 7_002], 'after one that was there')
  }),
]

/** A whole branch as a stretch, with its shared past. */
export async function stretchOf(store: Store, thread: ThreadKey): Promise<RestoreEntries> {
  const forkOf = (await store.head(thread))?.forkOf
  const [entries, turns] = [await read(store, thread), await store.turns(thread)]
  return { ...(forkOf && { forkOf }), entries, turns }
}

/** The entries of a stretch from one place to another, with their turns. */
export function part({ entries, turns }: RestoreEntries, from: number, to: number): RestoreEntries {
  return {
    entries: entries.filter(({ seq }) => seq >= from && seq <= to),
    turns: turns.filter(({ first }) => first >= from && first <= to),
  }
}

/** A turn of two entries; its times are the given one and the next two milliseconds. */
export function turnAt(turn: number, time: number): RestoreEntries {
  const last = turn * 2
  const texts = [`question ${turn}`, `answer ${turn}`]
  return {
    entries: texts.map((text, n) => ({
      ...entry(text, { role: n ? 'assistant' : 'user', id: `${text}` }),
      ...{ time: time + n, seq: last - 1 + n, turn },
    })),
    turns: [{ turn, status: 'completed', first: last - 1, last, startedAt: time, endedAt: time + 2 }],
  }
}
