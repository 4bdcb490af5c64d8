import type { MarkedPlace } from '../stores/store.ts'
import {
  equal,
  exchange,
  newThread,
  refused,
  type StoreCase,
  sentCall,
  storeCase,
} from './store-cases-help.ts'

const call = { ...sentCall, plan: '{"p":"é"}' }

/** Calls, caches, marks, migrations. */
export const sideCases: readonly StoreCase[] = [
  storeCase('keeps calls, the newest first', async (store, thread) => {
    await exchange(store, thread, 'a')
    for (const id of ['z', 'a', 'm']) await store.saveCall(thread, { ...call, id })
    equal(
      (await store.calls(thread)).map(({ id }) => id),
      ['m', 'a', 'z'],
      'all',
    )
    equal(
      (await store.calls(thread, { limit: 2 })).map(({ id }) => id),
      ['m', 'a'],
      'two',
    )
    await store.saveCall(thread, { ...call, id: 'z', reported: 12 })
    equal(
      (await store.calls(thread)).map(c => [c.id, c.reported]),
      [
        ['m', null],
        ['a', null],
        ['z', 12],
      ],
      'replaced',
    )
    equal((await store.calls(thread))[1], { ...call, id: 'a' }, 'one')
    await refused(() => store.saveCall(newThread(), { ...call, id: 'x' }), 'no_conversation')
  }),
  storeCase('keeps how a call went, as it was said last', async (store, thread) => {
    await exchange(store, thread, 'a')
    const outcomes = [
      { status: 'sent' },
      { status: 'failed', error: 'overloaded' },
      { status: 'cancelled' },
      { status: 'completed', reported: 12 },
    ] as const
    for (const outcome of outcomes) {
      await store.saveCall(thread, { ...call, ...outcome, id: 'one' })
      equal(await store.calls(thread), [{ ...call, ...outcome, id: 'one' }], outcome.status)
    }
    await refused(
      () => store.saveCall(thread, { ...call, id: 'x', status: 'lost' as 'sent' }),
      'invalid_option',
    )
  }),
  storeCase('keeps the last of a cache', async (store, thread) => {
    await exchange(store, thread, 'a')
    equal(await store.loadCache(thread, 'fold'), undefined, 'no cache')
    const bytes = Uint8Array.from({ length: 70_000 }, (_, n) => n % 256)
    await store.saveCache(thread, 'fold', 1, bytes)
    await store.saveCache(thread, 'other', 9, new Uint8Array())
    const loaded = await store.loadCache(thread, 'fold')
    equal([loaded?.at, [...loaded!.bytes]], [1, [...bytes]], 'saved')
    await store.saveCache(thread, 'fold', 2, new Uint8Array([7]))
    const again = await store.loadCache(thread, 'fold')
    equal([again?.at, [...again!.bytes]], [2, [7]], 'overwritten')
    const empty = await store.loadCache(thread, 'other')
    equal([empty?.at, [...empty!.bytes]], [9, []], 'empty')
    await refused(() => store.saveCache(newThread(), 'fold', 1, bytes), 'no_conversation')
  }),
  storeCase('finds places by their marks, in its own tenant', async (store, thread) => {
    const second = { ...thread, conversation: 'second' }
    const other = newThread()
    for (const one of [thread, second, other]) await exchange(store, one, 'a', 'b')
    const marks = [
      { mark: 'é one', at: 1 },
      { mark: 'two', at: 2 },
    ]
    await store.saveMarks(thread, [])
    for (const one of [thread, second, other]) await store.saveMarks(one, marks)
    await store.saveMarks(thread, marks)
    await store.fork(thread, { at: 2, branch: 'b' })
    const byName = (found: readonly MarkedPlace[]) =>
      [...found].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    const keyOf = ({ mark, thread }: MarkedPlace) => `${mark} ${thread.conversation}`
    const found = await store.findMarks(thread.tenant, ['two', 'none', 'é one'])
    const places = [
      { mark: 'two', at: 2, thread: second },
      { mark: 'two', at: 2, thread },
      { mark: 'é one', at: 1, thread: second },
      { mark: 'é one', at: 1, thread },
    ]
    equal(byName(found), byName(places), 'all')
    const few = await store.findMarks(thread.tenant, ['two', 'é one'], { limit: 1 })
    equal(
      byName(few).map(({ mark }) => mark),
      ['two', 'é one'],
      'one of each mark',
    )
    await store.deleteConversation(thread.tenant, second.conversation)
    equal(await store.findMarks(thread.tenant, ['two']), places.slice(1, 2), 'not what was deleted')
    await refused(() => store.saveMarks(second, marks), 'conversation_deleted')
    await refused(() => store.saveMarks(thread, [{ mark: 'x', at: Number.NaN }]), 'invalid_option')
  }),
  storeCase('has nothing left to migrate, and may be asked at once and again', async (store, thread) => {
    await exchange(store, thread, 'a')
    equal(await store.migrate({ dryRun: true }), [], 'what would be done')
    equal(await Promise.all([store.migrate(), store.migrate()]), [[], []], 'what was done')
  }),
]
