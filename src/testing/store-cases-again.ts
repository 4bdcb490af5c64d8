import type { EndTurn } from '../stores/store.ts'
import { allRefused, equal, outline, pluck, refused, storeCase, within } from './store-case.ts'
import { abandoned, entry, exchange, long, open, sentCall, texts } from './store-cases-help.ts'
import { turnAt } from './store-cases-restore.ts'

const statuses = ['completed', 'failed', 'cancelled', 'interrupted'] as const

/** Writes that come again because their answer got lost. */
export const againCases = [
  storeCase('gives a writer its turn again, when it begins the same again', async (store, thread) => {
    for (const key of [undefined, 'k']) {
      const entries = [entry('question')]
      const head = (await store.head(thread))?.head ?? 0
      const begin = { owner: 'ada', leaseMs: long, entries, ...(key && { key, body: 'hash' }) }
      const first = await open(store, thread, { ...begin, expectedHead: head })
      equal(
        await store.begin(thread, { ...begin, expectedHead: head }),
        first,
        'the answer to the same begin',
      )
      await refused(() => open(store, thread, { owner: 'ada', entries: [entry('another')] }), 'turn_open')
      await refused(() => open(store, thread, { owner: 'ada', entries: [] }), 'turn_open')
      await refused(() => open(store, thread, { owner: 'bob', entries }), 'turn_open')
      if (key) await refused(() => store.begin(thread, { ...begin, body: 'other' }), 'key_reused')
      const { lease } = first
      await store.append(thread, { lease, expectedHead: head + 1, entries: [entry('calls')] })
      const later = await open(store, thread, begin)
      equal([later.lease, later.head, later.turn.last], [lease, head + 2, head + 2], 'after an append')
      await store.end(thread, { lease, expectedHead: head + 2, entries: [], status: 'completed' })
    }
    equal(await outline(store, thread), ['1 completed 1-2', '2 completed 3-4'], 'turns')
  }),
  storeCase('holds a turn anew that its writer begins again, unless it was taken', async (store, thread) => {
    const begin = { owner: 'stalled', entries: [entry('question')] }
    const first = await abandoned(store, thread, begin)
    equal((await open(store, thread, begin)).lease, first.lease, 'the lease')
    within((await store.head(thread))?.open?.expiresInMs, 1, long)
    await store.renew(thread, first.lease, 0)
    await store.resume(thread, { owner: 'bob', leaseMs: long })
    await refused(() => open(store, thread, begin), 'turn_open')
    equal(await outline(store, thread), ['1 open 1-1'], 'turns')
  }),
  storeCase('changes nothing when an append comes again', async (store, thread) => {
    const { lease } = await open(store, thread)
    const call = { ...sentCall, id: 'one' }
    const append = { lease, entries: [entry('calls')], call, marks: [{ mark: 'm', at: 1 }] }
    await store.append(thread, { ...append, expectedHead: 1 })
    const done = { ...call, status: 'completed' as const, reported: 7 }
    await store.saveCall(thread, done)
    for (const expectedHead of [1, 2])
      equal(await store.append(thread, { ...append, expectedHead }), { head: 2 }, `at ${expectedHead}`)
    equal(await store.calls(thread), [done], 'the call')
    const places = (await store.findMarks(thread.tenant, ['m'])).map(({ at }) => at)
    equal(places, [2], 'the marks')
  }),
  storeCase('takes the end of a turn again, whatever its status', async (store, thread) => {
    for (const [n, status] of statuses.entries()) {
      const { lease, head } = await open(store, thread)
      const end = { lease, expectedHead: head, entries: [entry('answer')], status }
      for (const time of ['first', 'second'])
        equal(await store.end(thread, end), { head: 2 * n + 2 }, `${status}, the ${time} time`)
      for (const other of statuses.filter(other => other !== status))
        await refused(() => store.end(thread, { ...end, status: other }), 'lease_lost')
    }
  }),
  storeCase('lets nobody end a turn again that another writer has closed', async (store, thread) => {
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
      const end = { lease: { owner: '', epoch }, expectedHead: 2, entries: [], status: 'completed' as const }
      return store.end(copy, end)
    })
    await allRefused('lease_lost', ends)
  }),
  storeCase('compares the head before it ends a turn with what is stored', async (store, thread) => {
    const { lease } = await open(store, thread)
    const end = { lease, expectedHead: 1, entries: [entry('answer')] }
    await store.append(thread, end)
    await refused(() => store.end(thread, { ...end, status: 'completed' }), 'conflict')
    equal(await outline(store, thread), ['1 open 1-2'], 'turns')
    equal(await store.end(thread, { ...end, expectedHead: 2, status: 'completed' }), { head: 2 }, 'the head')
  }),
  storeCase('does not count what comes again as use', async (store, thread) => {
    const { entries, turns } = turnAt(1, 1_000)
    const keyed = { entries, turns: turns.map(turn => ({ ...turn, key: 'k', body: 'b' })) }
    await store.restore(thread, keyed)
    const replayed = await store.begin(thread, { owner: 'ada', leaseMs: long, key: 'k', body: 'b', entries })
    equal(replayed.kind, 'replayed', 'what begin says')
    await store.append(thread, { lease: { owner: 'ada', epoch: 1 }, expectedHead: 0, entries })
    await store.seed(thread, { expectedHead: 2, entries })
    await store.restore(thread, keyed)
    const [info] = await store.conversations(thread.tenant)
    equal([info?.updatedAt, info?.threads[0]?.updatedAt], [1_002, 1_002], 'when it was used')
  }),
  storeCase('never goes back in time', async (store, thread) => {
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
  }),
]

/** A turn that its writer left is closed by the next one that begins, in the same step. */
export const closingCases = [
  storeCase('closes a turn that was left as it is told to', async (store, thread) => {
    await abandoned(store, thread)
    const closing = {
      status: 'failed',
      error: 'overloaded',
      entries: [entry('[Failed.]', { role: 'assistant' })],
    } as const
    await refused(() => open(store, thread, { closing, expectedHead: 9 }), 'conflict')
    equal(await outline(store, thread), ['1 open 1-1'], 'after a refused begin')
    await open(store, thread, { closing, expectedHead: 1, key: 'k', entries: [entry('next')] })
    equal(await texts(store, thread), ['hello', '[Failed.]', 'next'], 'the entries')
    equal(await outline(store, thread), ['1 failed 1-2', '2 open 3-3'], 'turns')
    const [first] = await store.turns(thread)
    equal([first?.error, typeof first?.endedAt], ['overloaded', 'number'], 'how it ended')
  }),
  storeCase('does not close what was left for a request that was answered', async (store, thread) => {
    const { lease } = await open(store, thread, { key: 'k', body: 'b' })
    await store.end(thread, { lease, expectedHead: 1, entries: [], status: 'completed' })
    await abandoned(store, thread)
    const again = { owner: 'bob', leaseMs: long, key: 'k', body: 'b', entries: [entry('x')] }
    const closing = { status: 'failed', entries: [entry('[Failed.]')] } as const
    equal((await store.begin(thread, { ...again, closing })).kind, 'replayed', 'the answer')
    equal(await outline(store, thread), ['1 completed 1-1', '2 open 2-2'], 'turns')
  }),
]
