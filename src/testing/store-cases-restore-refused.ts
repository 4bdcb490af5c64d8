import type { RestoreEntries, StoredEntry, StoredTurn } from '../stores/store.ts'
import { ConflictError } from '../stores/store-error.ts'
import { equal, refused, storeCase } from './store-case.ts'
import { entry, exchange, open } from './store-cases-help.ts'
import { part, stretchOf, turnAt } from './store-cases-restore.ts'

/** A stretch that does not fit is refused whole: a half-restored log would look like a whole one. */
export const restoreRefusedCases = [
  storeCase('refuses to restore over what differs, or after a gap', async (store, thread) => {
    const [first, second] = [turnAt(1, 1_000), turnAt(2, 2_000)]
    await store.restore(thread, first)
    const both = joined(first, second)
    const another = { id: 'another', role: 'system', time: 999, payload: '{}' }
    for (const [what, value] of Object.entries(another)) {
      const error = await refused(
        () => store.restore(thread, withEntry(both, 0, { [what]: value })),
        'conflict',
      )
      equal(error instanceof ConflictError, true, `the error for another ${what}`)
    }
    // Token counts may differ: another counter may have counted.
    await store.restore(thread, withEntry(first, 0, { tokens: { words: 99 } }))
    const anotherTurn = { status: 'failed', startedAt: 1, endedAt: 1, error: 'e', key: 'k', body: 'b' }
    for (const [what, value] of Object.entries(anotherTurn))
      await refused(() => store.restore(thread, withTurn(both, 0, { [what]: value })), 'conflict')
    const outside = { entries: first.entries.map(entry => ({ ...entry, turn: 0 })), turns: [] }
    await refused(() => store.restore(thread, outside), 'conflict')
    await refused(() => store.restore(thread, turnAt(3, 3_000)), 'conflict')
    await refused(() => store.restore(thread, withEntry(second, 0, { id: first.entries[0]!.id })), 'conflict')
    const skipped = {
      entries: second.entries.map(e => ({ ...e, turn: 3 })),
      turns: [{ ...second.turns[0]!, turn: 3 }],
    }
    await refused(() => store.restore(thread, skipped), 'conflict')
    equal(await stretchOf(store, thread), first, 'what is there')
    const elsewhere = { ...thread, conversation: 'elsewhere' }
    await refused(() => store.restore(elsewhere, second), 'conflict')
    equal(await store.head(elsewhere), undefined, 'a thread that was refused')
    await store.restore(thread, both)
  }),
  storeCase('refuses a stretch that is none, all of it', async (store, thread) => {
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
      'an open turn before another': { ...two, turns: [{ ...unended, status: 'open' }, two.turns[1]!] },
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
  }),
  storeCase('refuses a branch without the past that it should share', async (store, thread) => {
    const edit = { ...thread, branch: 'edit' }
    const content = turnAt(2, 2_000)
    const from = (branch: string, at: number) => ({ forkOf: { branch, at }, ...content })
    await refused(() => store.restore(edit, from('main', 2)), 'invalid_option')
    await store.restore(thread, turnAt(1, 1_000))
    await refused(() => store.restore(edit, from('other', 2)), 'invalid_option')
    await refused(() => store.restore(edit, from('edit', 2)), 'invalid_option')
    for (const at of [1, 3, -1, 0.5])
      await refused(() => store.restore(edit, from('main', at)), 'invalid_option')
    await refused(() => store.restore(edit, { forkOf: { branch: 'main', at: 0 }, ...content }), 'conflict')
    equal(await store.head(edit), undefined, 'a branch that was refused')
    await store.restore(edit, from('main', 2))
    await refused(() => store.restore(edit, { ...from('main', 0), ...content }), 'invalid_option')
    await refused(() => store.restore(thread, { ...from('edit', 2), ...turnAt(1, 1_000) }), 'invalid_option')
    await store.restore(edit, part(content, 3, 4))
  }),
  storeCase('refuses to restore what was deleted, or after an open turn', async (store, thread) => {
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
  }),
  storeCase('refuses a restored turn with the key of another', async (store, thread) => {
    const first = withTurn(turnAt(1, 1_000), 0, { key: 'k', body: 'b' })
    await store.restore(thread, first)
    await refused(() => store.restore(thread, withTurn(turnAt(2, 2_000), 0, { key: 'k' })), 'key_reused')
    equal(await stretchOf(store, thread), first, 'what is there')
  }),
]

const joined = (a: RestoreEntries, b: RestoreEntries): RestoreEntries => ({
  entries: [...a.entries, ...b.entries],
  turns: [...a.turns, ...b.turns],
})

const withEntry = ({ entries, turns }: RestoreEntries, at: number, change: Partial<StoredEntry>) => ({
  entries: entries.map((entry, n) => (n === at ? { ...entry, ...change } : entry)),
  turns,
})

const withTurn = ({ entries, turns }: RestoreEntries, at: number, change: Partial<StoredTurn>) => ({
  entries,
  turns: turns.map((turn, n) => (n === at ? { ...turn, ...change } : turn)),
})
