import type { EndTurn } from '../store.ts'
import type { LeaseError } from '../store-error.ts'
import {
  allRefused,
  equal,
  outline,
  places,
  pluck,
  refused,
  toCases,
  turnWrites,
} from './store-case.ts'
import { abandoned, entry, exchange, long, open, sentCall, texts } from './store-cases-help.ts'
import { turnAt } from './store-cases-restore.ts'

/** One open turn a branch, leases, fencing, keys; taking over and closing what was left; writes that come again. */
export const leaseCases = toCases({
  'has one open turn a branch': async (store, thread) => {
    const { lease } = await open(store, thread)
    await refused(() => open(store, thread, { owner: 'bob' }), 'turn_open')
    await refused(() => open(store, thread, { owner: 'ada' }), 'turn_open')
    await store.end(thread, { lease, expectedHead: 1, entries: [], status: 'cancelled' })
    const next = await open(store, thread, { owner: 'bob' })
    if (next.lease.epoch <= lease.epoch) throw new Error('the epoch did not grow')
    equal(next.turn.turn, 2, 'the number of the next turn')
  },
  'says how long a turn is held at most': async (store, thread) => {
    const { lease } = await open(store, thread, { leaseMs: 60_000 })
    within((await store.head(thread))?.open?.expiresInMs, 1, 60_000)
    const resume = () => store.resume(thread, { owner: 'bob', leaseMs: long })
    const seed = () => store.seed(thread, { expectedHead: 1, entries: [entry('x')] })
    for (const refusedCall of [() => open(store, thread, { owner: 'bob' }), resume, seed])
      within(((await refused(refusedCall, 'turn_open')) as LeaseError).retryAfterMs, 1, 60_000)
    // A lease of 0 ms is given back: the error for seeding must not advise to wait.
    await store.renew(thread, lease, 0)
    equal((await store.head(thread))?.open?.expiresInMs, 0, 'how long it is still held')
    equal(
      ((await refused(seed, 'turn_open')) as LeaseError).retryAfterMs,
      undefined,
      'when to seed again',
    )
  },
  'renews a lease that is held': async (store, thread) => {
    const { lease } = await open(store, thread, { leaseMs: 1_000 })
    await store.renew(thread, lease, long)
    within((await store.head(thread))?.open?.expiresInMs, 1_001, long)
    await refused(() => store.renew(thread, { ...lease, owner: 'bob' }, long), 'lease_lost')
    await refused(
      () => store.renew(thread, { ...lease, epoch: lease.epoch + 1 }, long),
      'lease_lost',
    )
  },
  'takes over a turn whose lease ran out, and fences its writer': async (store, thread) => {
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
    equal(
      await texts(store, thread),
      ['question', '[Interrupted.]', 'again', 'answer'],
      'the entries',
    )
    equal(await places(store, thread), ['1/1', '2/1', '3/2', '4/2'], 'their turns')
  },
  'lets a writer go on past its lease while nobody took over': async (store, thread) => {
    const { lease } = await abandoned(store, thread)
    await store.append(thread, { lease, expectedHead: 1, entries: [entry('late')] })
    await store.renew(thread, lease, long)
    await refused(() => open(store, thread), 'turn_open')
    const end = { lease, expectedHead: 2, entries: [], status: 'completed' } as const
    equal((await store.end(thread, end)).head, 2, 'head')
  },
  'does not close what a turn that ended has left': async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    await open(store, thread, {
      closing: { entries: [entry('[Interrupted.]')] },
      entries: [entry('c')],
    })
    equal(await texts(store, thread), ['a', 'b', 'c'], 'the entries')
    equal((await store.turns(thread))[0]?.status, 'completed', 'the first turn')
  },
  'keeps an abandoned turn open until somebody begins': async (store, thread) => {
    await abandoned(store, thread)
    equal((await store.turns(thread))[0]?.status, 'open', 'its status')
    await refused(() => store.seed(thread, { expectedHead: 1, entries: [entry('x')] }), 'turn_open')
    await refused(() => open(store, thread, { expectedHead: 4 }), 'conflict')
    equal((await store.turns(thread))[0]?.status, 'open', 'its status after a refused begin')
  },
  'gives the same turn for the same key and body, whatever happened since': async (
    store,
    thread,
  ) => {
    const request = { owner: 'ada', leaseMs: long, key: 'k1', body: 'hash', entries: [entry('q')] }
    const { lease } = await open(store, thread, { ...request, expectedHead: 0 })
    const early = await store.begin(thread, { ...request, expectedHead: 0, owner: 'bob' })
    equal(
      [early.kind, early.turn.status],
      ['replayed', 'open'],
      'the answer while the turn is open',
    )
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
  'keeps turns, leases and keys of threads apart': async (store, thread) => {
    const bob = { ...thread, actor: 'bob' }
    const other = { ...thread, conversation: 'other' }
    const mine = await open(store, thread, { key: 'k', body: '1' })
    await open(store, bob, { key: 'k', body: '2', entries: [entry('for bob')] })
    await open(store, other, { key: 'k', body: '3' })
    await store.end(thread, {
      lease: mine.lease,
      expectedHead: 1,
      entries: [],
      status: 'completed',
    })
    equal((await store.head(bob))?.open?.turn, 1, "bob's open turn")
    equal(await texts(store, bob), ['for bob'], "bob's entries")
    await refused(() => store.renew(thread, mine.lease, long), 'lease_lost')
  },
  'goes on with a turn whose lease ran out, and fences its writer': async (store, thread) => {
    const old = await abandoned(store, thread, { entries: [entry('question')] })
    const taken = await store.resume(thread, bob)
    if (!taken) throw new Error('there was a turn to go on with')
    if (taken.lease.epoch <= old.lease.epoch) throw new Error('the epoch did not grow')
    equal([taken.turn.turn, taken.turn.status, taken.head], [1, 'open', 1], 'what resume says')
    await allRefused('lease_lost', turnWrites(store, thread, old.lease, 1))
    const rest = {
      lease: taken.lease,
      expectedHead: 1,
      entries: [entry('answer', { role: 'assistant' })],
    }
    // The end may be repeated, as its answer may get lost.
    for (let times = 0; times < 2; times++)
      await store.end(thread, { ...rest, status: 'completed' })
    equal(await texts(store, thread), ['question', 'answer'], 'entries')
    equal(await outline(store, thread), ['1 completed 1-2'], 'turns')
  },
  'refuses to go on with a turn that is held': async (store, thread) => {
    const { lease } = await open(store, thread)
    await refused(() => store.resume(thread, bob), 'turn_open')
    await store.append(thread, { lease, expectedHead: 1, entries: [entry('still here')] })
  },
  'has nothing to go on with where no turn is open': async (store, thread) => {
    equal(await store.resume(thread, bob), undefined, 'a thread that never was')
    await exchange(store, thread, 'a')
    equal(await store.resume(thread, bob), undefined, 'a turn that has ended')
  },
  'gives a writer its turn again, when it begins the same again': async (store, thread) => {
    for (const key of [undefined, 'k']) {
      const entries = [entry('question')]
      const head = (await store.head(thread))?.head ?? 0
      const begin = { owner: 'ada', leaseMs: long, entries, ...(key && { key, body: 'hash' }) }
      const first = await open(store, thread, { ...begin, expectedHead: head })
      const again = await store.begin(thread, { ...begin, expectedHead: head })
      equal(again, first, 'the answer to the same begin')
      await refused(
        () => open(store, thread, { owner: 'ada', entries: [entry('another')] }),
        'turn_open',
      )
      await refused(() => open(store, thread, { owner: 'ada', entries: [] }), 'turn_open')
      await refused(() => open(store, thread, { owner: 'bob', entries }), 'turn_open')
      if (key) await refused(() => store.begin(thread, { ...begin, body: 'other' }), 'key_reused')
      const { lease } = first
      await store.append(thread, { lease, expectedHead: head + 1, entries: [entry('calls')] })
      const later = await open(store, thread, begin)
      equal(
        [later.lease, later.head, later.turn.last],
        [lease, head + 2, head + 2],
        'after an append',
      )
      await store.end(thread, { lease, expectedHead: head + 2, entries: [], status: 'completed' })
    }
    equal(await outline(store, thread), ['1 completed 1-2', '2 completed 3-4'], 'turns')
  },
  'holds a turn anew that its writer begins again, unless it was taken': async (store, thread) => {
    const begin = { owner: 'stalled', entries: [entry('question')] }
    const first = await abandoned(store, thread, begin)
    equal((await open(store, thread, begin)).lease, first.lease, 'the lease')
    within((await store.head(thread))?.open?.expiresInMs, 1, long)
    await store.renew(thread, first.lease, 0)
    await store.resume(thread, { owner: 'bob', leaseMs: long })
    await refused(() => open(store, thread, begin), 'turn_open')
    equal(await outline(store, thread), ['1 open 1-1'], 'turns')
  },
  'changes nothing when an append comes again': async (store, thread) => {
    const { lease } = await open(store, thread)
    const call = { ...sentCall, id: 'one' }
    const append = { lease, entries: [entry('calls')], call, marks: [{ mark: 'm', at: 1 }] }
    await store.append(thread, { ...append, expectedHead: 1 })
    const done = { ...call, status: 'completed' as const, reported: 7 }
    await store.saveCall(thread, done)
    for (const expectedHead of [1, 2])
      equal(
        await store.append(thread, { ...append, expectedHead }),
        { head: 2 },
        `at ${expectedHead}`,
      )
    equal(await store.calls(thread), [done], 'the call')
    const places = (await store.findMarks(thread.tenant, ['m'])).map(({ at }) => at)
    equal(places, [2], 'the marks')
  },
  'takes the end of a turn again, whatever its status': async (store, thread) => {
    for (const [n, status] of statuses.entries()) {
      const { lease, head } = await open(store, thread)
      const end = { lease, expectedHead: head, entries: [entry('answer')], status }
      for (const time of ['first', 'second'])
        equal(await store.end(thread, end), { head: 2 * n + 2 }, `${status}, the ${time} time`)
      for (const other of statuses.filter(other => other !== status))
        await refused(() => store.end(thread, { ...end, status: other }), 'lease_lost')
    }
  },
  'lets nobody end a turn again that another writer has closed': async (store, thread) => {
    for (const status of statuses) {
      const { lease, head } = await abandoned(store, thread)
      const next = await open(store, thread, { closing: { status, entries: [] } })
      const late: EndTurn = { lease, expectedHead: head, entries: [], status }
      await refused(() => store.end(thread, late), 'lease_lost')
      await store.end(thread, { ...late, lease: next.lease, expectedHead: next.head })
    }
    const copy = { ...thread, conversation: 'copy' }
    await store.restore(copy, turnAt(1, 1_000))
    const ends = Array.from({ length: 4 }, (_, epoch) => () => {
      const end = {
        lease: { owner: '', epoch },
        expectedHead: 2,
        entries: [],
        status: 'completed' as const,
      }
      return store.end(copy, end)
    })
    await allRefused('lease_lost', ends)
  },
  'compares the head before it ends a turn with what is stored': async (store, thread) => {
    const { lease } = await open(store, thread)
    const end = { lease, expectedHead: 1, entries: [entry('answer')] }
    await store.append(thread, end)
    await refused(() => store.end(thread, { ...end, status: 'completed' }), 'conflict')
    equal(await outline(store, thread), ['1 open 1-2'], 'turns')
    equal(
      await store.end(thread, { ...end, expectedHead: 2, status: 'completed' }),
      { head: 2 },
      'the head',
    )
  },
  'does not count what comes again as use': async (store, thread) => {
    const { entries, turns } = turnAt(1, 1_000)
    const keyed = { entries, turns: turns.map(turn => ({ ...turn, key: 'k', body: 'b' })) }
    await store.restore(thread, keyed)
    const replayed = await store.begin(thread, {
      owner: 'ada',
      leaseMs: long,
      key: 'k',
      body: 'b',
      entries,
    })
    equal(replayed.kind, 'replayed', 'what begin says')
    await store.append(thread, { lease: { owner: 'ada', epoch: 1 }, expectedHead: 0, entries })
    await store.seed(thread, { expectedHead: 2, entries })
    await store.restore(thread, keyed)
    const [info] = await store.conversations(thread.tenant)
    equal([info?.updatedAt, info?.threads[0]?.updatedAt], [1_002, 1_002], 'when it was used')
  },
  'never goes back in time': async (store, thread) => {
    const future = 4_000_000_000_000
    const at = async () => {
      const [info] = await store.conversations(thread.tenant)
      return [info?.updatedAt, ...pluck(info!.threads, 'updatedAt')]
    }
    await store.restore(thread, turnAt(1, future))
    await exchange(store, thread, 'a', 'b')
    equal(await at(), [future + 2, future + 2], 'after a turn')
    // A branch is not older than its conversation, and one without entries makes it no newer.
    await store.restore({ ...thread, actor: 'bob' }, turnAt(1, 3_000))
    await store.restore({ ...thread, actor: 'cy' }, { entries: [], turns: [] })
    equal(await at(), [future + 2, future + 2, future, future], 'after older branches')
  },
  'closes a turn that was left as it is told to': async (store, thread) => {
    await abandoned(store, thread)
    const failed = { status: 'failed', error: 'overloaded' } as const
    const closing = { ...failed, entries: [entry('[Failed.]', { role: 'assistant' })] }
    await refused(() => open(store, thread, { closing, expectedHead: 9 }), 'conflict')
    equal(await outline(store, thread), ['1 open 1-1'], 'after a refused begin')
    await open(store, thread, { closing, expectedHead: 1, key: 'k', entries: [entry('next')] })
    equal(await texts(store, thread), ['hello', '[Failed.]', 'next'], 'the entries')
    equal(await outline(store, thread), ['1 failed 1-2', '2 open 3-3'], 'turns')
    const [first] = await store.turns(thread)
    equal([first?.error, typeof first?.endedAt], ['overloaded', 'number'], 'how it ended')
  },
  'does not close what was left for a request that was answered': async (store, thread) => {
    const { lease } = await open(store, thread, { key: 'k', body: 'b' })
    await store.end(thread, { lease, expectedHead: 1, entries: [], status: 'completed' })
    await abandoned(store, thread)
    const again = { owner: 'bob', leaseMs: long, key: 'k', body: 'b', entries: [entry('x')] }
    const closing = { status: 'failed', entries: [entry('[Failed.]')] } as const
    equal((await store.begin(thread, { ...again, closing })).kind, 'replayed', 'the answer')
    equal(await outline(store, thread), ['1 completed 1-1', '2 open 2-2'], 'turns')
  },
})

const bob = { owner: 'bob', leaseMs: long }

const statuses = ['completed', 'failed', 'cancelled', 'interrupted'] as const

function within(actual: number | undefined, least: number, most: number): void {
  if (!(actual !== undefined && actual >= least && actual <= most))
    throw new Error(`how long it is held: expected ${least} to ${most} ms, got ${actual}`)
}
