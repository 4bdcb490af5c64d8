import type { MarkedPlace } from '../store.ts'
import { ConflictError } from '../store-error.ts'
import {
  allRefused,
  equal,
  nothingAt,
  places,
  pluck,
  refused,
  toCases,
  writesTo,
} from './store-case.ts'
import {
  abandoned,
  entry,
  exchange,
  newThread,
  open,
  read,
  sentCall,
  texts,
} from './store-cases-help.ts'

/** Places, idempotence, the expected head, turns; calls, caches, marks, migrations. */
export const logCases = toCases({
  'counts places from 1 without gaps': async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    await exchange(store, thread, 'c', 'd', 'e')
    equal(await places(store, thread), ['1/1', '2/1', '3/2', '4/2', '5/2'], 'places and turns')
  },
  'knows nothing of a thread that never was': async (store, thread) => {
    await nothingAt(store, thread)
    await allRefused('no_conversation', writesTo(store, thread, { owner: 'ada', epoch: 1 }))
  },
  'gives an entry back as it came': async (store, thread) => {
    const sent = { ...entry('hé 👋'), tokens: { o200k: 3, 'a.b': 4, $x: 0 }, time: 1_234 }
    await open(store, thread, { entries: [sent] })
    equal(await read(store, thread), [{ ...sent, seq: 1, turn: 1 }], 'the entry')
  },
  'has the first entries of a turn before the model is called': async (store, thread) => {
    const begun = await open(store, thread, { entries: [entry('question')], key: 'k', body: 'b' })
    const { first, last, status } = begun.turn
    equal([begun.head, first, last, status], [1, 1, 1, 'open'], 'what begin says')
    equal(await texts(store, thread), ['question'], 'the entries')
    const head = await store.head(thread)
    equal([head?.head, head?.turns, head?.open?.turn], [1, 1, 1], 'the head')
    equal(head?.open?.lease, begun.lease, 'the lease')
  },
  'adds an entry id once, for ever': async (store, thread) => {
    const [first, second, third] = [entry('1'), entry('2'), entry('3')]
    const { lease } = await open(store, thread, { entries: [first] })
    await store.append(thread, { lease, expectedHead: 1, entries: [second, second] })
    const again = { lease, expectedHead: 1, entries: [first, second] }
    equal(
      await store.append(thread, again),
      { head: 2 },
      'the answer to the same batch, with the old head',
    )
    const mixed = { lease, expectedHead: 2, entries: [{ ...first, payload: '{}' }, third] }
    equal(await store.append(thread, mixed), { head: 3 }, 'the answer to a later batch')
    await store.end(thread, { lease, expectedHead: 3, entries: [], status: 'completed' })
    equal(await store.append(thread, again), { head: 3 }, 'the answer after the turn')
    await open(store, thread, { entries: [second, entry('4')] })
    equal(await texts(store, thread), ['1', '2', '3', '4'], 'the entries')
  },
  'refuses another head than the expected one, and names both': async (store, thread) => {
    const { lease } = await open(store, thread)
    for (const expectedHead of [0, 2]) {
      const append = { lease, expectedHead, entries: [entry('x')] }
      const end = () => store.end(thread, { ...append, status: 'failed' })
      for (const call of [() => store.append(thread, append), end]) {
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
  },
  'ends a turn with its last entries in one step': async (store, thread) => {
    const { lease, turn } = await open(store, thread)
    const last = [entry('answer', { role: 'assistant' }), entry('note', { role: 'assistant_note' })]
    const end = {
      lease,
      expectedHead: 1,
      entries: last,
      status: 'failed',
      error: 'timeout',
    } as const
    await refused(() => store.end(thread, { ...end, expectedHead: 9 }), 'conflict')
    equal((await store.turns(thread))[0]?.status, 'open', 'the turn after a refused end')
    equal(await store.end(thread, end), { head: 3 }, 'the head')
    const { endedAt = 0, ...stored } = (await store.turns(thread))[0]!
    equal(stored, { ...turn, status: 'failed', error: 'timeout', first: 1, last: 3 }, 'the turn')
    if (endedAt < turn.startedAt) throw new Error('it never ended')
    equal((await store.head(thread))?.open, undefined, 'the open turn')
    equal(await store.end(thread, end), { head: 3 }, 'the answer to the same end again')
    await refused(() => store.end(thread, { ...end, status: 'completed' }), 'lease_lost')
    await open(store, thread, { entries: [entry('next')] })
    equal(
      await store.end(thread, end),
      { head: 4 },
      'the answer to the same end, after the next turn began',
    )
    equal((await store.head(thread))?.open?.turn, 2, 'the turn that is open then')
  },
  'takes entries before the first turn and between turns': async (store, thread) => {
    const before = {
      expectedHead: 0,
      entries: [entry('you are kind', { role: 'system' }), entry('hi')],
    }
    for (const time of ['first', 'second'])
      equal(await store.seed(thread, before), { head: 2 }, `the head after the ${time} seed`)
    await exchange(store, thread, 'a', 'b')
    await store.seed(thread, { expectedHead: 4, entries: [entry('imported')] })
    const turns = pluck(await read(store, thread), 'turn')
    equal(turns, [0, 0, 1, 1, 0], 'the turns of the entries: 0 outside of any')
    await open(store, thread)
    await refused(() => store.seed(thread, { expectedHead: 6, entries: [entry('x')] }), 'turn_open')
  },
  'lets exactly one of many appends on one head win': async (store, thread) => {
    const { lease } = await open(store, thread)
    for (let head = 1; head <= 10; head++) {
      const writers = Array.from({ length: 12 }, (_, n) =>
        store.append(thread, { lease, expectedHead: head, entries: [entry(`${head}/${n}`)] }),
      )
      equal(await winners(writers), 1, `winners at head ${head}`)
    }
    const seqs = Array.from({ length: 11 }, (_, n) => n + 1)
    equal(pluck(await read(store, thread), 'seq'), seqs, 'places')
  },
  'lets exactly one of many writers begin': async (store, thread) => {
    const begins = Array.from({ length: 12 }, (_, n) =>
      open(store, thread, { owner: `writer ${n}` }),
    )
    equal(await winners(begins), 1, 'winners')
    equal((await store.turns(thread)).length, 1, 'turns')
  },
  'keeps calls, the newest first': async (store, thread) => {
    await exchange(store, thread, 'a')
    for (const id of ['z', 'a', 'm']) await store.saveCall(thread, { ...call, id })
    equal(pluck(await store.calls(thread), 'id'), ['m', 'a', 'z'], 'all')
    equal(pluck(await store.calls(thread, { limit: 2 }), 'id'), ['m', 'a'], 'two')
    await store.saveCall(thread, { ...call, id: 'z', reported: 12 })
    const replaced = await store.calls(thread)
    equal(pluck(replaced, 'id'), ['m', 'a', 'z'], 'all, one replaced')
    equal(pluck(replaced, 'reported'), [undefined, undefined, 12], 'what they report')
    equal(replaced[1], { ...call, id: 'a' }, 'one')
    await refused(() => store.saveCall(newThread(), { ...call, id: 'x' }), 'no_conversation')
  },
  'keeps how a call went, as it was said last': async (store, thread) => {
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
    const lost = { ...call, id: 'x', status: 'lost' as 'sent' }
    await refused(() => store.saveCall(thread, lost), 'invalid_option')
  },
  'keeps the last of a cache': async (store, thread) => {
    const isCached = async (key: string, at: number, bytes: Uint8Array) => {
      const cache = await store.loadCache(thread, key)
      equal([cache?.at, [...cache!.bytes]], [at, [...bytes]], key)
    }
    await exchange(store, thread, 'a')
    equal(await store.loadCache(thread, 'fold'), undefined, 'no cache')
    const bytes = Uint8Array.from({ length: 70_000 }, (_, n) => n % 256)
    await store.saveCache(thread, 'fold', 1, bytes)
    await store.saveCache(thread, 'empty', 9, new Uint8Array())
    await isCached('fold', 1, bytes)
    await store.saveCache(thread, 'fold', 2, new Uint8Array([7]))
    await isCached('fold', 2, new Uint8Array([7]))
    await isCached('empty', 9, new Uint8Array())
    await refused(() => store.saveCache(newThread(), 'fold', 1, bytes), 'no_conversation')
  },
  'finds places by their marks, in its own tenant': async (store, thread) => {
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
    const byName = (marked: readonly MarkedPlace[]) =>
      [...marked].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    const keyOf = ({ mark, thread }: MarkedPlace) => `${mark} ${thread.conversation}`
    const stored = await store.findMarks(thread.tenant, ['two', 'none', 'é one'])
    const places = [
      { mark: 'two', at: 2, thread: second },
      { mark: 'two', at: 2, thread },
      { mark: 'é one', at: 1, thread: second },
      { mark: 'é one', at: 1, thread },
    ]
    equal(byName(stored), byName(places), 'all')
    const few = await store.findMarks(thread.tenant, ['two', 'é one'], { limit: 1 })
    equal(pluck(byName(few), 'mark'), ['two', 'é one'], 'one of each mark')
    await store.deleteConversation(thread.tenant, second.conversation)
    equal(await store.findMarks(thread.tenant, ['two']), places.slice(1, 2), 'not what was deleted')
    await refused(() => store.saveMarks(second, marks), 'conversation_deleted')
    await refused(() => store.saveMarks(thread, [{ mark: 'x', at: Number.NaN }]), 'invalid_option')
  },
  'has a write that is followed as any other': async (store, thread) => {
    const { lease } = await open(store, thread, { mayDeferSync: true, leaseMs: 0 })
    await store.append(thread, {
      lease,
      expectedHead: 1,
      entries: [entry('a')],
      mayDeferSync: true,
    })
    const taken = await store.resume(thread, { owner: 'bob', leaseMs: 60_000, mayDeferSync: true })
    await store.saveCall(thread, { ...call, id: 'one' })
    const end = {
      lease: taken!.lease,
      expectedHead: 2,
      entries: [entry('b')],
      status: 'completed',
    } as const
    equal((await store.end(thread, end)).head, 3, 'the head')
    const seed = { expectedHead: 3, entries: [entry('c')], mayDeferSync: true }
    equal((await store.seed(thread, seed)).head, 4, 'the head after a seed')
    equal(await texts(store, thread), ['hello', 'a', 'b', 'c'], 'the entries')
    equal(pluck(await store.calls(thread), 'id'), ['one'], 'the calls')
  },
  'keeps what became of a call together with entries, or neither': async (store, thread) => {
    const { lease, head } = await open(store, thread)
    for (const id of ['one', 'two']) await store.saveCall(thread, { ...call, id })
    const went = (id: string) => ({ ...call, id, status: 'completed' as const, reported: 7 })
    const appended = { lease, expectedHead: head, entries: [entry('calls')], call: went('one') }
    for (let time = 0; time < 2; time++) await store.append(thread, appended)
    equal(await store.calls(thread), [{ ...call, id: 'two' }, went('one')], 'with an append')
    const end = { lease, expectedHead: head + 1, entries: [entry('done')], call: went('two') }
    const foreign = { ...end, lease: { ...lease, owner: 'nobody' }, status: 'completed' as const }
    await refused(() => store.end(thread, foreign), 'lease_lost')
    equal(
      await store.calls(thread),
      [{ ...call, id: 'two' }, went('one')],
      'not with what was refused',
    )
    await store.end(thread, { ...end, status: 'completed' })
    equal(await store.calls(thread), [went('two'), went('one')], 'with the end')
  },
  'marks the entries that a turn begins with': async (store, thread) => {
    await abandoned(store, thread, { entries: [entry('left')] })
    const turn = { entries: [entry('a'), entry('b')], closing: { entries: [entry('closed')] } }
    await open(store, thread, { ...turn, marks: [{ mark: 'b', at: 2 }] })
    const stored = await store.findMarks(thread.tenant, ['b'])
    equal(stored, [{ mark: 'b', at: 4, thread }], 'behind what was closed')
  },
  'marks the entries that are added to a turn, or neither': async (store, thread) => {
    const { lease, head } = await open(store, thread)
    const storedMarks = async () =>
      (await store.findMarks(thread.tenant, ['call', 'reply'])).map(
        ({ mark, at }) => `${mark} ${at}`,
      )
    const entries = [entry('calls'), entry('result')]
    const appended = { lease, expectedHead: head, entries, marks: [{ mark: 'call', at: 1 }] }
    for (let time = 0; time < 2; time++) await store.append(thread, appended)
    equal(await storedMarks(), ['call 2'], 'with an append')
    const reply = { entries: [entry('reply')], marks: [{ mark: 'reply', at: 1 }] }
    const end = { lease, expectedHead: head + 2, ...reply }
    const foreign = { ...end, lease: { ...lease, owner: 'nobody' }, status: 'completed' as const }
    await refused(() => store.end(thread, foreign), 'lease_lost')
    equal(await storedMarks(), ['call 2'], 'not with what was refused')
    for (let time = 0; time < 2; time++) await store.end(thread, { ...end, status: 'completed' })
    equal(await storedMarks(), ['call 2', 'reply 4'], 'with the end')
  },
  'has nothing left to migrate, and may be asked at once and again': async (store, thread) => {
    await exchange(store, thread, 'a')
    equal(await store.migrate({ dryRun: true }), [], 'what would be done')
    equal(await Promise.all([store.migrate(), store.migrate()]), [[], []], 'what was done')
  },
})

async function winners(writers: readonly Promise<unknown>[]): Promise<number> {
  const answers = await Promise.allSettled(writers)
  return answers.filter(({ status }) => status === 'fulfilled').length
}

const call = { ...sentCall, plan: '{"p":"é"}' }
