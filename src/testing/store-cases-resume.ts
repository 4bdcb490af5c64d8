import {
  abandoned,
  entry,
  equal,
  exchange,
  long,
  open,
  refused,
  type StoreCase,
  storeCase,
  texts,
} from './store-cases-help.ts'

const owner = 'bob'

/** Taking over a turn that was left open. */
export const resumeCases: readonly StoreCase[] = [
  storeCase('goes on with a turn whose lease ran out, and fences its writer', async (store, thread) => {
    const old = await abandoned(store, thread, { entries: [entry('question')] })
    const taken = await store.resume(thread, { owner, leaseMs: long })
    if (!taken) throw new Error('there was a turn to go on with')
    if (taken.lease.epoch <= old.lease.epoch) throw new Error('the epoch did not grow')
    equal([taken.turn.turn, taken.turn.status, taken.head], [1, 'open', 1], 'what resume says')
    const late = { lease: old.lease, expectedHead: 1, entries: [entry('late')] }
    await refused(() => store.append(thread, late), 'lease_lost')
    await refused(() => store.end(thread, { ...late, status: 'completed' }), 'lease_lost')
    await refused(() => store.renew(thread, old.lease, long), 'lease_lost')
    const rest = { lease: taken.lease, expectedHead: 1, entries: [entry('answer', { role: 'assistant' })] }
    await store.end(thread, { ...rest, status: 'completed' })
    // The end may be repeated, as its answer may get lost.
    await store.end(thread, { ...rest, status: 'completed' })
    equal(await texts(store, thread), ['question', 'answer'], 'entries')
    const turns = await store.turns(thread)
    equal(
      turns.map(turn => [turn.turn, turn.status, turn.first, turn.last]),
      [[1, 'completed', 1, 2]],
      'turns',
    )
  }),
  storeCase('refuses to go on with a turn that is held', async (store, thread) => {
    const { lease } = await open(store, thread)
    await refused(() => store.resume(thread, { owner, leaseMs: long }), 'turn_open')
    await store.append(thread, { lease, expectedHead: 1, entries: [entry('still here')] })
  }),
  storeCase('has nothing to go on with where no turn is open', async (store, thread) => {
    equal(await store.resume(thread, { owner, leaseMs: long }), undefined, 'a thread that never was')
    await exchange(store, thread, 'a')
    equal(await store.resume(thread, { owner, leaseMs: long }), undefined, 'a turn that has ended')
  }),
]
