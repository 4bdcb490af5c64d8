import { ThroughlineError } from '@throughline/core/errors'
import type { BeginTurn, NewEntry, TurnStatus } from '../store.ts'
import type { TooLargeError } from '../store-error.ts'
import { allRefused, equal, outline, pluck, refused, toCases, writesTo } from './store-case.ts'
import {
  entry,
  exchange,
  findAll,
  long,
  newThread,
  open,
  read,
  sentCall,
  texts,
} from './store-cases-help.ts'

const names = [
  'Dr. Smith',
  '$x',
  'a.b',
  'quote \' " ` \\',
  '%_*?[',
  '/',
  '["a","b"]',
  '-- drop',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '0',
  '👩‍🚀 emoji',
  ' spaces ',
  'line\nbreak\ttab',
  // A careless store takes these for one another, or cuts them.
  'é',
  'e\u0301',
  'ADA',
  'ada',
  'n'.repeat(200),
  `${'n'.repeat(199)}m`,
  '漢'.repeat(200),
]

/** Names, payloads, numbers and states of every kind. */
export const textCases = toCases({
  'keeps threads with any name apart': async (store, thread) => {
    const parts = ['conversation', 'actor', 'branch']
    for (const name of names)
      for (const part of parts)
        await exchange(store, { ...thread, [part]: name }, `${part} ${name}`)
    for (const name of names)
      for (const part of parts)
        equal(await texts(store, { ...thread, [part]: name }), [`${part} ${name}`], name)
    const listed = pluck(await store.conversations(thread.tenant), 'conversation')
    equal([...listed].sort(), [...names, thread.conversation].sort(), 'the list')
  },
  'keeps ids, keys and owners with any name apart': async (store, thread) => {
    const request = { key: '__proto__', body: 'a.b' }
    const entries = names.map(id => entry(id, { id }))
    const { lease } = await open(store, thread, { ...request, entries, owner: '__proto__' })
    equal(pluck(await read(store, thread), 'id'), names, 'the ids')
    for (const name of names)
      await store.saveCache(thread, name, name.length, new Uint8Array([name.length]))
    for (const name of names) equal((await store.loadCache(thread, name))?.at, name.length, name)
    await store.end(thread, { lease, expectedHead: names.length, entries: [], status: 'completed' })
    const again = await store.begin(thread, { ...request, owner: 'x', leaseMs: 1, entries: [] })
    equal(again.kind, 'replayed', 'the key')
  },
  'refuses an empty name': async (store, thread) => {
    const seed = { expectedHead: 0, entries: [entry('x')] }
    for (const part of ['conversation', 'actor', 'branch'])
      await refused(() => store.seed({ ...thread, [part]: '' }, seed), 'invalid_option')
    equal(await store.conversations(thread.tenant), [], 'the list')
  },
  'takes an empty id of nothing for nothing': async (store, thread) => {
    const empty = { ...entry(''), payload: '', tokens: {} }
    await store.seed(thread, { expectedHead: 0, entries: [empty] })
    equal((await read(store, thread))[0], { ...empty, seq: 1, turn: 0 }, 'an empty payload')
  },
  'gives any text back, or refuses it with an error of ours': async (store, thread) => {
    const odd = [
      'NUL \0 inside',
      'lone \ud800 surrogate',
      '\udc00',
      '\uffff\ufffe',
      '\u0001\u001f\u007f',
      'bom \ufeff',
      '\u2028\u2029',
      '‮right to left',
    ]
    let head = 0
    for (const text of odd) {
      // As raw text, and escaped in JSON.
      for (const payload of [text, JSON.stringify({ content: text })]) {
        const sent = { ...entry(text), payload }
        try {
          head = (await store.seed(thread, { expectedHead: head, entries: [sent] })).head
        } catch (error) {
          if (!(error instanceof ThroughlineError)) throw error
          continue
        }
        equal((await read(store, thread, { from: head }))[0]?.payload, payload, 'the payload')
      }
    }
    equal(await read(store, thread, { from: head + 1 }), [], 'what is past the head')
  },
  'never takes two odd names for one': async (store, thread) => {
    const odd = ['a', 'a\0', 'a\0b', '\ud800', '\udbff', '\ufffd']
    const taken: string[] = []
    for (const name of odd) {
      try {
        await store.seed(
          { ...thread, conversation: name },
          { expectedHead: 0, entries: [entry(name)] },
        )
        taken.push(name)
      } catch (error) {
        if (!(error instanceof ThroughlineError) || error.code === 'conflict') throw error
      }
    }
    const listed = pluck(await store.conversations(thread.tenant), 'conversation')
    equal([...listed].sort(), [...taken].sort(), 'the list')
  },
  'never takes an odd tenant for another': async (store, thread) => {
    const near = { ...thread, tenant: `${thread.tenant}\ufffd` }
    await exchange(store, near, 'pelican')
    for (const end of ['\ud800', '\udfff', '\0', '\ufffd\0']) {
      const odd = { ...thread, tenant: `${thread.tenant}${end}` }
      const asks = [
        () => store.head(odd),
        () => texts(store, odd),
        () => store.conversations(odd.tenant),
        () => findAll(store, odd.tenant, 'pelican'),
        () => store.deleteConversation(odd.tenant, odd.conversation),
      ]
      for (const ask of asks) {
        const answer = await ask().catch((error: unknown) => {
          if (!(error instanceof ThroughlineError)) throw error
        })
        if (answer && (!Array.isArray(answer) || answer.length > 0))
          throw new Error('it saw another tenant')
      }
    }
    equal(await texts(store, near), ['pelican'], 'the entries')
  },
  'takes payloads of 5 MB': async (store, thread) => {
    const big = {
      ...entry('big'),
      payload: JSON.stringify({ content: 'five megabytes é '.repeat(290_000) }),
    }
    await store.seed(thread, { expectedHead: 0, entries: [entry('small'), big] })
    const [, stored] = await read(store, thread)
    if (stored?.payload !== big.payload) throw new Error('the payload has changed')
    equal((await texts(store, thread, { to: 1 }))[0], 'small', 'the entry before')
    await store.deleteConversation(thread.tenant, thread.conversation)
  },
  'goes on after a text of 128,000 characters without a space': async (store, thread) => {
    const dense = `${'漢字'.repeat(60_000)}鷺${'かな'.repeat(4_000)}`
    await exchange(store, thread, dense, 'noted')
    // More than a store may keep waiting for its index.
    for (const text of ['one', 'two'])
      await exchange(store, thread, `${text} ${'plain words '.repeat(20_000)}`)
    equal((await store.head(thread))?.head, 4, 'the head')
    equal(pluck(await findAll(store, thread.tenant, '字鷺か'), 'seq'), [1], 'the entries found')
  },
  'takes photos and words of 6 MB': async (store, thread) => {
    const photo = JSON.stringify({ images: ['iVBORw0KGgo'.repeat(545_000)] })
    const word = JSON.stringify({ content: 'a'.repeat(6_000_000) })
    const entries = [photo, word].map(payload => ({ ...entry(''), payload }))
    await store.seed(thread, { expectedHead: 0, entries })
    const stored = await read(store, thread)
    const isSame = entries.every(({ payload }, n) => stored[n]?.payload === payload)
    if (!isSame) throw new Error('a payload has changed')
    await store.deleteConversation(thread.tenant, thread.conversation)
  },
  'refuses an entry past the limit, and all that came with it': async (store, thread) => {
    const limit = 8 * 1024 * 1024
    const { lease } = await open(store, thread)
    const payload = 'é'.repeat(limit / 2 + 1)
    const entries = [entry('small'), { ...entry(''), payload }]
    const call = () => store.append(thread, { lease, expectedHead: 1, entries })
    equal(((await refused(call, 'too_large')) as TooLargeError).limit, limit, 'the limit')
    await refused(() => store.seed(newThread(), { expectedHead: 0, entries }), 'too_large')
    equal(await texts(store, thread), ['hello'], 'the entries')
  },
  'refuses numbers that are none, wherever one is expected': async (store, thread) => {
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
        () =>
          store.restore({ ...thread, branch: 'x' }, { ...none, forkOf: { branch: 'main', at } }),
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
  },
  'refuses an end that is none': async (store, thread) => {
    const { lease } = await open(store, thread)
    for (const status of ['open', 'lost', undefined] as unknown as Exclude<TurnStatus, 'open'>[]) {
      const end = () => store.end(thread, { lease, expectedHead: 1, entries: [], status })
      await refused(end, 'invalid_option')
      if (status === undefined) continue
      const begin: BeginTurn = {
        owner: 'bob',
        leaseMs: long,
        entries: [],
        closing: { status, entries: [] },
      }
      await refused(() => store.begin(thread, begin), 'invalid_option')
    }
    equal(await outline(store, thread), ['1 open 1-1'], 'turns')
  },
  'refuses entries that could not be read again': async (store, thread) => {
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
        () =>
          store.begin(other, { owner: 'bob', leaseMs: long, entries: [], closing: { entries } }),
      ])
    }
    equal(await texts(store, thread), ['hello'], 'the entries')
    equal(await store.head(other), undefined, 'a thread that was refused')
  },
  'refuses to write to a thread that is not there, beside one that is': async (store, thread) => {
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
  },
  'gives the places of a mark once, and the newest where they are many': async (store, thread) => {
    await exchange(store, thread, 'a', 'b', 'c')
    for (const at of [1, 3, 2]) await store.saveMarks(thread, [{ mark: 'm', at }])
    const find = async (marks: string[], limit?: number) =>
      (await store.findMarks(thread.tenant, marks, limit === undefined ? {} : { limit })).map(
        ({ at }) => at,
      )
    equal(await find(['m', 'm']), [2, 3, 1], 'a mark that is asked for twice')
    equal(await find(['m'], 2), [2, 3], 'the newest two')
  },
})

const noNumbers = [Number.NaN, Number.POSITIVE_INFINITY, -1, '2', null] as number[]
const noPlaces = [...noNumbers, 1.5, 2 ** 40]

const none = { entries: [], turns: [] }
