import type { LeaseError } from '../stores/store-error.ts'
import { allRefused, equal, outline, places, refused, storeCase, turnWrites, within } from './store-case.ts'
import { abandoned, entry, exchange, long, open, texts } from './store-cases-help.ts'

/** One open turn a branch, leases, fencing, idempotency keys. */
export const leaseCases = [
  storeCase('has one open turn a branch', async (store, thread) => {
    const { lease } = await open(store, thread)
    await refused(() => open(store, thread, { owner: 'bob' }), 'turn_open')
    await refused(() => open(store, thread, { owner: 'ada' }), 'turn_open')
    await store.end(thread, { lease, expectedHead: 1, entries: [], status: 'cancelled' })
    const next = await open(store, thread, { owner: 'bob' })
    if (next.lease.epoch <= lease.epoch) throw new Error('the epoch did not grow')
    equal(next.turn.turn, 2, 'the number of the next turn')
  }),
  storeCase('says how long a turn is held at most', async (store, thread) => {
    const { lease } = await open(store, thread, { leaseMs: 60_000 })
    within((await store.head(thread))?.open?.expiresInMs, 1, 60_000)
    const resume = () => store.resume(thread, { owner: 'bob', leaseMs: long })
    const seed = () => store.seed(thread, { expectedHead: 1, entries: [entry('x')] })
    for (const refusedCall of [() => open(store, thread, { owner: 'bob' }), resume, seed])
      within(((await refused(refusedCall, 'turn_open')) as LeaseError).retryAfterMs, 1, 60_000)
    // A lease of 0 ms is given back: the error for seeding must not advise to wait.
    await store.renew(thread, lease, 0)
    equal((await store.head(thread))?.open?.expiresInMs, 0, 'how long it is still held')
    equal(((await refused(seed, 'turn_open')) as LeaseError).retryAfterMs, undefined, 'when to seed again')
  }),
  storeCase('renews a lease that is held', async (store, thread) => {
    const { lease } = await open(store, thread, { leaseMs: 1_000 })
    await store.renew(thread, lease, long)
    within((await store.head(thread))?.open?.expiresInMs, 1_001, long)
    await refused(() => store.renew(thread, { ...lease, owner: 'bob' }, long), 'lease_lost')
    await refused(() => store.renew(thread, { ...lease, epoch: lease.epoch + 1 }, long), 'lease_lost')
  }),
  storeCase('takes over a turn whose lease ran out, and fences its writer', async (store, thread) => {
    const { lease } = await abandoned(store, thread, { entries: [entry('question')] })
    const closing = { entries: [entry('[Interrupted.]', { role: 'assistant' })] }
    const begin = { owner: 'bob', expectedHead: 1, closing, entries: [entry('again')] }
    const next = await open(store, thread, begin)
    if (next.lease.epoch <= lease.epoch) throw new Error('the epoch did not grow')
    equal([next.head, next.turn.turn, next.turn.first], [3, 2, 3], 'what begin says')
    equal(await outline(store, thread), ['1 interrupted 1-2', '2 open 3-3'], 'turns')
    const late = { lease, expectedHead: 3, entries: [], status: 'interrupted' } as const
    await allRefused('lease_lost', turnWrites(store, thread, lease, 3))
    await refused(() => store.end(thread, late), 'lease_lost')
    await store.append(thread, { lease: next.lease, expectedHead: 3, entries: [entry('answer')] })
    equal(await texts(store, thread), ['question', '[Interrupted.]', 'again', 'answer'], 'the entries')
    equal(await places(store, thread), ['1/1', '2/1', '3/2', '4/2'], 'their turns')
  }),
  storeCase('lets a writer go on past its lease while nobody took over', async (store, thread) => {
    const { lease } = await abandoned(store, thread)
    await store.append(thread, { lease, expectedHead: 1, entries: [entry('late')] })
    await store.renew(thread, lease, long)
    await refused(() => open(store, thread), 'turn_open')
    const end = { lease, expectedHead: 2, entries: [], status: 'completed' } as const
    equal((await store.end(thread, end)).head, 2, 'head')
  }),
  storeCase('does not close what a turn that ended has left', async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    await open(store, thread, { closing: { entries: [entry('[Interrupted.]')] }, entries: [entry('c')] })
    equal(await texts(store, thread), ['a', 'b', 'c'], 'the entries')
    equal((await store.turns(thread))[0]?.status, 'completed', 'the first turn')
  }),
  storeCase('keeps an abandoned turn open until somebody begins', async (store, thread) => {
    await abandoned(store, thread)
    equal((await store.turns(thread))[0]?.status, 'open', 'its status')
    await refused(() => store.seed(thread, { expectedHead: 1, entries: [entry('x')] }), 'turn_open')
    await refused(() => open(store, thread, { expectedHead: 4 }), 'conflict')
    equal((await store.turns(thread))[0]?.status, 'open', 'its status after a refused begin')
  }),
  storeCase(
    'gives the same turn for the same key and body, whatever happened since',
    async (store, thread) => {
      const request = { owner: 'ada', leaseMs: long, key: 'k1', body: 'hash', entries: [entry('q')] }
      const { lease } = await open(store, thread, { ...request, expectedHead: 0 })
      const early = await store.begin(thread, { ...request, expectedHead: 0, owner: 'bob' })
      equal([early.kind, early.turn.status], ['replayed', 'open'], 'the answer while the turn is open')
      await store.end(thread, { lease, expectedHead: 1, entries: [entry('a')], status: 'completed' })
      const late = await store.begin(thread, { ...request, entries: [entry('q')] })
      const turn = (await store.turns(thread))[0]
      equal(late, { kind: 'replayed', turn, head: 2 }, 'the answer afterwards')
      equal([turn?.key, turn?.body], ['k1', 'hash'], 'what the turn keeps')
      await refused(() => store.begin(thread, { ...request, body: 'other' }), 'key_reused')
      equal((await open(store, thread, { key: 'k2', body: 'hash' })).turn.turn, 2, 'another key')
      await refused(() => store.begin(thread, { ...request, body: 'other' }), 'key_reused')
      equal(await texts(store, thread), ['q', 'a', 'hello'], 'the entries')
    },
  ),
  storeCase('keeps turns, leases and keys of threads apart', async (store, thread) => {
    const bob = { ...thread, actor: 'bob' }
    const other = { ...thread, conversation: 'other' }
    const mine = await open(store, thread, { key: 'k', body: '1' })
    await open(store, bob, { key: 'k', body: '2', entries: [entry('for bob')] })
    await open(store, other, { key: 'k', body: '3' })
    await store.end(thread, { lease: mine.lease, expectedHead: 1, entries: [], status: 'completed' })
    equal((await store.head(bob))?.open?.turn, 1, "bob's open turn")
    equal(await texts(store, bob), ['for bob'], "bob's entries")
    await refused(() => store.renew(thread, mine.lease, long), 'lease_lost')
  }),
]

const bob = { owner: 'bob', leaseMs: long }

/** Taking over a turn that was left open. */
export const resumeCases = [
  storeCase('goes on with a turn whose lease ran out, and fences its writer', async (store, thread) => {
    const old = await abandoned(store, thread, { entries: [entry('question')] })
    const taken = await store.resume(thread, bob)
    if (!taken) throw new Error('there was a turn to go on with')
    if (taken.lease.epoch <= old.lease.epoch) throw new Error('the epoch did not grow')
    equal([taken.turn.turn, taken.turn.status, taken.head], [1, 'open', 1], 'what resume says')
    await allRefused('lease_lost', turnWrites(store, thread, old.lease, 1))
    const rest = { lease: taken.lease, expectedHead: 1, entries: [entry('answer', { role: 'assistant' })] }
    // The end may be repeated, as its answer may get lost.
    for (let times = 0; times < 2; times++) await store.end(thread, { ...rest, status: 'completed' })
    equal(await texts(store, thread), ['question', 'answer'], 'entries')
    equal(await outline(store, thread), ['1 completed 1-2'], 'turns')
  }),
  storeCase('refuses to go on with a turn that is held', async (store, thread) => {
    const { lease } = await open(store, thread)
    await refused(() => store.resume(thread, bob), 'turn_open')
    await store.append(thread, { lease, expectedHead: 1, entries: [entry('still here')] })
  }),
  storeCase('has nothing to go on with where no turn is open', async (store, thread) => {
    equal(await store.resume(thread, bob), undefined, 'a thread that never was')
    await exchange(store, thread, 'a')
    equal(await store.resume(thread, bob), undefined, 'a turn that has ended')
  }),
]
