import type { BeginTurn, NewEntry, TurnStatus } from '../stores/store.ts'
import { allRefused, equal, outline, refused, storeCase, writesTo } from './store-case.ts'
import { entry, exchange, long, newThread, open, sentCall, texts } from './store-cases-help.ts'

const noNumbers = [Number.NaN, Number.POSITIVE_INFINITY, -1, '2', null] as number[]
const noPlaces = [...noNumbers, 1.5, 2 ** 40]

/** Numbers, states and entries that are none. */
export const inputCases = [
  storeCase('refuses numbers that are none, wherever one is expected', async (store, thread) => {
    const { lease } = await open(store, thread)
    const write = { lease, expectedHead: 1, entries: [entry('x')] }
    const begin = { owner: 'bob', leaseMs: long, entries: [entry('x')] }
    for (const leaseMs of noNumbers)
      await allRefused('invalid_option', [
        () => store.begin(newThread(), { ...begin, leaseMs }),
        () => store.resume(thread, { owner: 'bob', leaseMs }),
        () => store.renew(thread, lease, leaseMs),
      ])
    for (const at of noPlaces)
      await allRefused('invalid_option', [
        () => store.append(thread, { ...write, expectedHead: at }),
        () => store.append(thread, { ...write, lease: { ...lease, epoch: at } }),
        () => store.end(thread, { ...write, expectedHead: at, status: 'completed' }),
        () => store.begin({ ...thread, actor: 'bob' }, { ...begin, expectedHead: at }),
        () => store.seed({ ...thread, actor: 'bob' }, { expectedHead: at, entries: [] }),
        () => store.fork(thread, { at, branch: 'x' }),
        () => store.restore({ ...thread, branch: 'x' }, { ...none, forkOf: { branch: 'main', at } }),
        () => store.saveMarks(thread, [{ mark: 'm', at }]),
        () => store.saveCache(thread, 'fold', at, new Uint8Array()),
        () => store.saveCall(thread, { ...sentCall, id: 'c', turn: at }),
      ])
    for (const count of [Number.NaN, Number.POSITIVE_INFINITY])
      await allRefused('invalid_option', [
        () => store.saveCall(thread, { ...sentCall, id: 'c', time: count }),
        () => store.saveCall(thread, { ...sentCall, id: 'c', predicted: count }),
        () => store.saveCall(thread, { ...sentCall, id: 'c', reported: count }),
      ])
    equal(await texts(store, thread), ['hello'], 'the entries')
    equal(await store.head({ ...thread, actor: 'bob' }), undefined, 'a thread that was refused')
  }),
  storeCase('refuses an end that is none', async (store, thread) => {
    const { lease } = await open(store, thread)
    for (const status of ['open', 'lost', undefined] as unknown as Exclude<TurnStatus, 'open'>[]) {
      await refused(
        () => store.end(thread, { lease, expectedHead: 1, entries: [], status }),
        'invalid_option',
      )
      if (status === undefined) continue
      const begin: BeginTurn = { owner: 'bob', leaseMs: long, entries: [], closing: { status, entries: [] } }
      await refused(() => store.begin(thread, begin), 'invalid_option')
    }
    equal(await outline(store, thread), ['1 open 1-1'], 'turns')
  }),
  storeCase('refuses entries that could not be read again', async (store, thread) => {
    const { lease } = await open(store, thread)
    const other = { ...thread, actor: 'bob' }
    const bad: Partial<NewEntry>[] = [
      { role: 'judge' as 'user' },
      { time: Number.NaN },
      { time: 0.5 },
      { tokens: { words: Number.NaN } },
    ]
    for (const part of bad) {
      const entries = [entry('fine'), { ...entry('x'), ...part }]
      await allRefused('invalid_option', [
        () => store.append(thread, { lease, expectedHead: 1, entries }),
        () => store.end(thread, { lease, expectedHead: 1, entries, status: 'completed' }),
        () => store.seed(other, { expectedHead: 0, entries }),
        () => store.begin(other, { owner: 'bob', leaseMs: long, entries }),
        () => store.begin(other, { owner: 'bob', leaseMs: long, entries: [], closing: { entries } }),
      ])
    }
    equal(await texts(store, thread), ['hello'], 'the entries')
    equal(await store.head(other), undefined, 'a thread that was refused')
  }),
  storeCase('refuses to write to a thread that is not there, beside one that is', async (store, thread) => {
    await exchange(store, thread, 'a')
    const lease = { owner: 'ada', epoch: 1 }
    for (const none of [
      { ...thread, actor: 'bob' },
      { ...thread, branch: 'x' },
    ]) {
      await allRefused('no_conversation', writesTo(store, none, lease))
      for (const marks of [[], [{ mark: 'm', at: 1 }]])
        await refused(() => store.saveMarks(none, marks), 'no_conversation')
      equal(await store.head(none), undefined, 'the thread')
    }
  }),
  storeCase('gives the places of a mark once, and the newest where they are many', async (store, thread) => {
    await exchange(store, thread, 'a', 'b', 'c')
    for (const at of [1, 3, 2]) await store.saveMarks(thread, [{ mark: 'm', at }])
    const find = async (marks: string[], limit?: number) =>
      (await store.findMarks(thread.tenant, marks, limit === undefined ? {} : { limit })).map(({ at }) => at)
    equal(await find(['m', 'm']), [2, 3, 1], 'a mark that is asked for twice')
    equal(await find(['m'], 2), [2, 3], 'the newest two')
  }),
]

const none = { entries: [], turns: [] }
