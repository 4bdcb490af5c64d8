import type { RestoreEntries, Store, StoredEntry, StoredTurn, ThreadKey } from '../store.ts'
import { ConflictError } from '../store-error.ts'
import { equal, pluck, refused, toCases } from './store-case.ts'
import { entry, exchange, findAll, long, open, read, texts } from './store-cases-help.ts'

/** Restoring a log from elsewhere. What does not fit is refused whole: half a log would look like a whole one. */
export const restoreCases = toCases({
  'restores entries and turns as they once were, and once': async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    await store.seed(thread, { expectedHead: 2, entries: [entry('seeded')] })
    const failing = await open(store, thread, { key: 'k', body: 'hash', entries: [entry('c')] })
    const end = { lease: failing.lease, expectedHead: 4, entries: [], status: 'failed' } as const
    await store.end(thread, { ...end, error: 'overloaded' })
    const empty = await open(store, thread, { entries: [] })
    await store.end(thread, {
      lease: empty.lease,
      expectedHead: 4,
      entries: [],
      status: 'cancelled',
    })
    const stretch = await stretchOf(store, thread)
    const copy = { ...thread, conversation: 'copy' }
    for (const time of ['first', 'second']) {
      equal(await store.restore(copy, stretch), { head: 4 }, `what the ${time} restore says`)
      equal(await stretchOf(store, copy), stretch, `what is there after the ${time} restore`)
      equal(await store.head(copy), { head: 4, turns: 3 }, `the head after the ${time} restore`)
    }
  },
  'goes on after a restore: numbers, keys, search, repeated appends': async (store, thread) => {
    const begun = await open(store, thread, {
      key: 'k',
      body: 'hash',
      entries: [entry('blue heron')],
    })
    const answer = entry('a bird', { role: 'assistant' })
    const end = {
      lease: begun.lease,
      expectedHead: 1,
      entries: [answer],
      status: 'completed',
    } as const
    await store.end(thread, end)
    const copy = { ...thread, conversation: 'copy' }
    await store.restore(copy, await stretchOf(store, thread))
    const request = { owner: 'ada', leaseMs: long, key: 'k', entries: [entry('again')] }
    const replayed = await store.begin(copy, { ...request, body: 'hash' })
    equal(
      [replayed.kind, replayed.turn],
      ['replayed', (await store.turns(thread))[0]],
      'the same key',
    )
    await refused(() => store.begin(copy, { ...request, body: 'other' }), 'key_reused')
    await refused(() => store.renew(copy, begun.lease, long), 'lease_lost')
    const next = await open(store, copy, { expectedHead: 2, entries: [entry('and then?')] })
    equal([next.turn.turn, next.turn.first, next.head], [2, 3, 3], 'the next turn')
    await store.append(copy, { lease: next.lease, expectedHead: 3, entries: [answer] })
    equal(await texts(store, copy), ['blue heron', 'a bird', 'and then?'], 'the entries')
    const hits = await findAll(store, thread.tenant, 'heron')
    equal(
      hits.map(f => `${f.thread.conversation}/${f.seq}`).sort(),
      ['copy/1', 'lemonade/1'],
      'found',
    )
  },
  'restores stretch by stretch, each as often as one likes': async (store, thread) => {
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
    equal(await stretchOf(store, copy), whole, 'the stored stretch')
  },
  'restores an open turn as one whose writer is gone': async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    const { lease } = await open(store, thread, { entries: [entry('c')] })
    const stretch = await stretchOf(store, thread)
    const copy = { ...thread, conversation: 'copy' }
    await store.restore(copy, stretch)
    const head = await store.head(copy)
    equal(
      [head?.open?.turn, head?.open?.status, head?.open?.expiresInMs],
      [2, 'open', 0],
      'the open turn',
    )
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
    equal(
      pluck(await store.turns(copy), 'status'),
      ['completed', 'interrupted', 'open'],
      'the turns',
    )
  },
  'restores an open turn that nobody holds, after one that was written here': async (
    store,
    thread,
  ) => {
    await exchange(store, thread, 'a', 'b')
    const { endedAt: _, ...turn } = turnAt(2, 2_000).turns[0]!
    await store.restore(thread, { ...turnAt(2, 2_000), turns: [{ ...turn, status: 'open' }] })
    equal((await store.head(thread))?.open?.expiresInMs, 0, 'how long it is held')
    equal((await open(store, thread)).turn.turn, 3, 'the next turn')
  },
  'restores a branch on the past that it shares': async (store, thread) => {
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
      equal(
        await stretchOf(store, into(key)),
        await stretchOf(store, key),
        `the branch ${key.branch}`,
      )
      equal(await store.head(into(key)), await store.head(key), `its head`)
    }
    const threads = pluck(await findAll(store, thread.tenant, 'heron'), 'thread')
    const copied = threads.filter(({ conversation }) => conversation === 'copy')
    equal(copied, [into(thread)], 'found where it was written')
    equal((await open(store, into(idle))).turn.turn, 2, 'the next turn of a branch without its own')
  },
  'dates a restored conversation by what is in it': async (store, thread) => {
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
  },
  'refuses to restore over what differs, or after a gap': async (store, thread) => {
    const [first, second] = [turnAt(1, 1_000), turnAt(2, 2_000)]
    await store.restore(thread, first)
    const both = joined(first, second)
    const another = { id: 'another', role: 'system', time: 999, payload: '{}' }
    for (const [what, value] of Object.entries(another)) {
      const restore = () => store.restore(thread, withEntry(both, 0, { [what]: value }))
      const error = await refused(restore, 'conflict')
      equal(error instanceof ConflictError, true, `the error for another ${what}`)
    }
    // Token counts may differ: another counter may have counted.
    await store.restore(thread, withEntry(first, 0, { tokens: { words: 99 } }))
    const anotherTurn = {
      status: 'failed',
      startedAt: 1,
      endedAt: 1,
      error: 'e',
      key: 'k',
      body: 'b',
    }
    for (const [what, value] of Object.entries(anotherTurn))
      await refused(() => store.restore(thread, withTurn(both, 0, { [what]: value })), 'conflict')
    const outside = { entries: first.entries.map(entry => ({ ...entry, turn: 0 })), turns: [] }
    await refused(() => store.restore(thread, outside), 'conflict')
    await refused(() => store.restore(thread, turnAt(3, 3_000)), 'conflict')
    await refused(
      () => store.restore(thread, withEntry(second, 0, { id: first.entries[0]!.id })),
      'conflict',
    )
    const skipped = {
      entries: second.entries.map(e => ({ ...e, turn: 3 })),
      turns: [{ ...second.turns[0]!, turn: 3 }],
    }
    await refused(() => store.restore(thread, skipped), 'conflict')
    equal(await stretchOf(store, thread), first, 'the stored stretch')
    const elsewhere = { ...thread, conversation: 'elsewhere' }
    await refused(() => store.restore(elsewhere, second), 'conflict')
    equal(await store.head(elsewhere), undefined, 'a thread that was refused')
    await store.restore(thread, both)
  },
  'refuses a stretch that is none, all of it': async (store, thread) => {
    const one = turnAt(1, 1_000)
    const two = joined(one, turnAt(2, 2_000))
    const { endedAt: _, ...unended } = one.turns[0]!
    const bad: Record<string, RestoreEntries> = {
      'a place of 0': { entries: [{ ...one.entries[0]!, seq: 0 }], turns: [] },
      'half a place': { entries: [{ ...one.entries[0]!, seq: 1.5, turn: 0 }], turns: [] },
      'a gap': { ...two, entries: two.entries.filter(({ seq }) => seq !== 2) },
      'places in another order': { ...two, entries: [...two.entries].reverse() },
      'a time that is none': withEntry(one, 1, { time: Number.NaN }),
      'half a millisecond': withEntry(one, 1, { time: 0.5 }),
      'a role that is none': withEntry(one, 1, { role: 'judge' as 'user' }),
      'an id twice': withEntry(one, 1, { id: one.entries[0]!.id }),
      'half a turn': withEntry(one, 1, { turn: 0.5 }),
      'a turn that is not there': withEntry(one, 1, { turn: 7 }),
      'an entry outside of its turn': withEntry(two, 3, { turn: 1 }),
      'an entry without the turn around it': withEntry(one, 0, { turn: 0 }),
      'turn 0': withTurn(one, 0, { turn: 0 }),
      'turns with a gap': withTurn(two, 1, { turn: 3 }),
      'a turn that begins before the stretch': { ...two, entries: two.entries.slice(1) },
      'a turn that ends after the stretch': withTurn(two, 1, { last: 5 }),
      'a turn that ends before it begins': withTurn(two, 1, { first: 4, last: 2 }),
      'turns that overlap': withTurn(two, 1, { first: 2 }),
      'a status that is none': withTurn(one, 0, { status: 'lost' as 'failed' }),
      'a start that is none': withTurn(one, 0, { startedAt: Number.POSITIVE_INFINITY }),
      'an end that is none': withTurn(one, 0, { endedAt: Number.NaN }),
      'an open turn before another': {
        ...two,
        turns: [{ ...unended, status: 'open' }, two.turns[1]!],
      },
      'an open turn that has ended': withTurn(one, 0, { status: 'open' }),
      'a key twice': { ...two, turns: two.turns.map(turn => ({ ...turn, key: 'k' })) },
      'turns and no entries': { entries: [], turns: one.turns },
    }
    for (const [what, stretch] of Object.entries(bad)) {
      await refused(() => store.restore(thread, stretch), 'invalid_option').catch(error => {
        throw new Error(`${what}: ${error.message}`)
      })
      equal(await store.head(thread), undefined, `the head after ${what}`)
    }
    equal(await store.conversations(thread.tenant), [], 'the list')
    await refused(() => store.restore(thread, withEntry(one, 0, { payload: '\0' })), 'invalid_text')
    await refused(() => store.restore(thread, withTurn(one, 0, { key: '\ud800' })), 'invalid_text')
    await refused(() => store.restore({ ...thread, actor: '' }, one), 'invalid_option')
    await store.restore(thread, two)
  },
  'refuses a branch without the past that it should share': async (store, thread) => {
    const edit = { ...thread, branch: 'edit' }
    const content = turnAt(2, 2_000)
    const from = (branch: string, at: number) => ({ forkOf: { branch, at }, ...content })
    await refused(() => store.restore(edit, from('main', 2)), 'invalid_option')
    await store.restore(thread, turnAt(1, 1_000))
    await refused(() => store.restore(edit, from('other', 2)), 'invalid_option')
    await refused(() => store.restore(edit, from('edit', 2)), 'invalid_option')
    for (const at of [1, 3, -1, 0.5])
      await refused(() => store.restore(edit, from('main', at)), 'invalid_option')
    await refused(
      () => store.restore(edit, { forkOf: { branch: 'main', at: 0 }, ...content }),
      'conflict',
    )
    equal(await store.head(edit), undefined, 'a branch that was refused')
    await store.restore(edit, from('main', 2))
    await refused(() => store.restore(edit, { ...from('main', 0), ...content }), 'invalid_option')
    await refused(
      () => store.restore(thread, { ...from('edit', 2), ...turnAt(1, 1_000) }),
      'invalid_option',
    )
    await store.restore(edit, part(content, 3, 4))
  },
  'refuses to restore what was deleted, or after an open turn': async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    const stretch = await stretchOf(store, thread)
    await store.deleteConversation(thread.tenant, thread.conversation)
    await refused(() => store.restore(thread, stretch), 'conversation_deleted')
    await refused(() => store.restore({ ...thread, actor: 'new' }, stretch), 'conversation_deleted')
    equal(await store.conversations(thread.tenant), [], 'the list')
    const busy = { ...thread, conversation: 'busy' }
    await open(store, busy, { entries: [entry('a'), entry('b')] })
    await refused(() => store.restore(busy, turnAt(2, 2_000)), 'turn_open')
    equal((await store.head(busy))?.head, 2, 'the head of the thread with an open turn')
  },
  'refuses a restored turn with the key of another': async (store, thread) => {
    const first = withTurn(turnAt(1, 1_000), 0, { key: 'k', body: 'b' })
    await store.restore(thread, first)
    await refused(
      () => store.restore(thread, withTurn(turnAt(2, 2_000), 0, { key: 'k' })),
      'key_reused',
    )
    equal(await stretchOf(store, thread), first, 'the stored stretch')
  },
})

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
      time: time + n,
      seq: last - 1 + n,
      turn,
    })),
    turns: [
      { turn, status: 'completed', first: last - 1, last, startedAt: time, endedAt: time + 2 },
    ],
  }
}

const joined = (a: RestoreEntries, b: RestoreEntries): RestoreEntries => ({
  entries: [...a.entries, ...b.entries],
  turns: [...a.turns, ...b.turns],
})

const withEntry = (
  { entries, turns }: RestoreEntries,
  at: number,
  change: Partial<StoredEntry>,
) => ({
  entries: entries.map((entry, n) => (n === at ? { ...entry, ...change } : entry)),
  turns,
})

const withTurn = ({ entries, turns }: RestoreEntries, at: number, change: Partial<StoredTurn>) => ({
  entries,
  turns: turns.map((turn, n) => (n === at ? { ...turn, ...change } : turn)),
})
