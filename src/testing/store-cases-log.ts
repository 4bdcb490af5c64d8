import { ConflictError } from '../stores/store-error.ts'
import {
  entry,
  equal,
  exchange,
  newThread,
  open,
  read,
  refused,
  type StoreCase,
  storeCase,
  texts,
} from './store-cases-help.ts'

/** Places, idempotence, the expected head, turns. */
export const logCases: readonly StoreCase[] = [
  storeCase('counts places from 1 without gaps', async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    await exchange(store, thread, 'c', 'd', 'e')
    const entries = await read(store, thread)
    equal(
      entries.map(({ seq, turn }) => [seq, turn]),
      [
        [1, 1],
        [2, 1],
        [3, 2],
        [4, 2],
        [5, 2],
      ],
      'places and turns',
    )
  }),
  storeCase('knows nothing of a thread that never was', async (store, thread) => {
    equal(await store.head(thread), undefined, 'its head')
    equal(await read(store, thread), [], 'its entries')
    equal(await store.turns(thread), [], 'its turns')
    equal(await store.calls(thread), [], 'its calls')
    equal(await store.loadCache(thread, 'k'), undefined, 'its cache')
    const lease = { owner: 'ada', epoch: 1 }
    await refused(
      () => store.append(thread, { lease, expectedHead: 0, entries: [entry('x')] }),
      'no_conversation',
    )
    await refused(() => store.fork(thread, { at: 0, branch: 'other' }), 'no_conversation')
  }),
  storeCase('gives an entry back as it came', async (store, thread) => {
    const sent = { ...entry('hé 👋'), tokens: { o200k: 3, 'a.b': 4, $x: 0 }, time: 1_234 }
    await open(store, thread, { entries: [sent] })
    equal(await read(store, thread), [{ ...sent, seq: 1, turn: 1 }], 'the entry')
  }),
  storeCase('has the first entries of a turn before the model is called', async (store, thread) => {
    const begun = await open(store, thread, { entries: [entry('question')], key: 'k', body: 'b' })
    equal(
      [begun.head, begun.turn.first, begun.turn.last, begun.turn.status],
      [1, 1, 1, 'open'],
      'what begin says',
    )
    equal(await texts(store, thread), ['question'], 'the entries')
    const head = await store.head(thread)
    equal([head?.head, head?.turns, head?.open?.turn], [1, 1, 1], 'the head')
    equal(head?.open?.lease, begun.lease, 'the lease')
  }),
  storeCase('adds an entry id once, for ever', async (store, thread) => {
    const [first, second, third] = [entry('1'), entry('2'), entry('3')]
    const { lease } = await open(store, thread, { entries: [first] })
    await store.append(thread, { lease, expectedHead: 1, entries: [second, second] })
    const again = { lease, expectedHead: 1, entries: [first, second] }
    equal(await store.append(thread, again), { head: 2 }, 'the answer to the same batch, with the old head')
    const mixed = { lease, expectedHead: 2, entries: [{ ...first, payload: '{}' }, third] }
    equal(await store.append(thread, mixed), { head: 3 }, 'the answer to a later batch')
    await store.end(thread, { lease, expectedHead: 3, entries: [], status: 'completed' })
    equal(await store.append(thread, again), { head: 3 }, 'the answer after the turn')
    await open(store, thread, { entries: [second, entry('4')] })
    equal(await texts(store, thread), ['1', '2', '3', '4'], 'the entries')
  }),
  storeCase('refuses another head than the expected one, and names both', async (store, thread) => {
    const { lease } = await open(store, thread)
    for (const expectedHead of [0, 2]) {
      const append = { lease, expectedHead, entries: [entry('x')] }
      for (const call of [
        () => store.append(thread, append),
        () => store.end(thread, { ...append, status: 'failed' as const }),
      ]) {
        const error = (await refused(call, 'conflict')) as ConflictError
        equal([error.expected, error.actual], [expectedHead, 1], 'both numbers')
      }
    }
    const empty = { lease, expectedHead: 2, entries: [] }
    await refused(() => store.append(thread, empty), 'conflict')
    await refused(() => store.end(thread, { ...empty, status: 'completed' }), 'conflict')
    await store.end(thread, { ...empty, expectedHead: 1, status: 'completed' })
    const begin = { owner: 'bob', leaseMs: 1_000, expectedHead: 7, entries: [entry('x')] }
    const error = await refused(() => store.begin(thread, begin), 'conflict')
    if (!(error instanceof ConflictError)) throw new Error('it is no ConflictError')
    await refused(() => store.seed(thread, { expectedHead: 0, entries: [entry('x')] }), 'conflict')
    const fresh = newThread()
    await refused(() => store.begin(fresh, begin), 'conflict')
    equal(await store.head(fresh), undefined, 'what a refused begin leaves')
    equal(await texts(store, thread), ['hello'], 'the entries')
  }),
  storeCase('ends a turn with its last entries in one step', async (store, thread) => {
    const { lease, turn } = await open(store, thread)
    const last = [entry('answer', { role: 'assistant' }), entry('note', { role: 'assistant_note' })]
    const end = { lease, expectedHead: 1, entries: last, status: 'failed', error: 'timeout' } as const
    await refused(() => store.end(thread, { ...end, expectedHead: 9 }), 'conflict')
    equal((await store.turns(thread))[0]?.status, 'open', 'the turn after a refused end')
    equal(await store.end(thread, end), { head: 3 }, 'the head')
    const [stored] = await store.turns(thread)
    equal(
      [stored?.status, stored?.error, stored?.first, stored?.last],
      ['failed', 'timeout', 1, 3],
      'the turn',
    )
    if (stored!.endedAt === undefined || stored!.endedAt < turn.startedAt) throw new Error('it never ended')
    equal((await store.head(thread))?.open, undefined, 'the open turn')
    equal(await store.end(thread, end), { head: 3 }, 'the answer to the same end again')
    await refused(() => store.end(thread, { ...end, status: 'completed' }), 'lease_lost')
    await open(store, thread, { entries: [entry('next')] })
    equal(await store.end(thread, end), { head: 4 }, 'the answer to the same end, after the next turn began')
    equal((await store.head(thread))?.open?.turn, 2, 'the turn that is open then')
  }),
  storeCase('takes entries before the first turn and between turns', async (store, thread) => {
    const before = [entry('you are kind', { role: 'system' }), entry('hi')]
    equal(await store.seed(thread, { expectedHead: 0, entries: before }), { head: 2 }, 'the head')
    equal(
      await store.seed(thread, { expectedHead: 0, entries: before }),
      { head: 2 },
      'the head, seeded again',
    )
    await exchange(store, thread, 'a', 'b')
    await store.seed(thread, { expectedHead: 4, entries: [entry('imported')] })
    const turns = (await read(store, thread)).map(({ turn }) => turn)
    equal(turns, [0, 0, 1, 1, 0], 'the turns of the entries: 0 outside of any')
    await open(store, thread)
    await refused(() => store.seed(thread, { expectedHead: 6, entries: [entry('x')] }), 'turn_open')
  }),
  storeCase('lets exactly one of many appends on one head win', async (store, thread) => {
    const { lease } = await open(store, thread)
    for (let head = 1; head <= 10; head++) {
      const writers = Array.from({ length: 12 }, (_, n) =>
        store.append(thread, { lease, expectedHead: head, entries: [entry(`${head}/${n}`)] }),
      )
      const answers = await Promise.allSettled(writers)
      equal(answers.filter(({ status }) => status === 'fulfilled').length, 1, `winners at head ${head}`)
    }
    equal(
      (await read(store, thread)).map(({ seq }) => seq),
      Array.from({ length: 11 }, (_, n) => n + 1),
      'places',
    )
  }),
  storeCase('lets exactly one of many writers begin', async (store, thread) => {
    const begins = Array.from({ length: 12 }, (_, n) => open(store, thread, { owner: `writer ${n}` }))
    const answers = await Promise.allSettled(begins)
    equal(answers.filter(({ status }) => status === 'fulfilled').length, 1, 'winners')
    equal((await store.turns(thread)).length, 1, 'turns')
  }),
]
