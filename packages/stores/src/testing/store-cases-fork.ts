import { ThroughlineError } from '@throughline/core/errors'
import type { Store, ThreadKey } from '../store.ts'
import { type CreateStore, equal, outline, places, pluck, refused, toCases } from './store-case.ts'
import { abandoned, entry, exchange, long, open, sentCall, texts } from './store-cases-help.ts'

/** Branches: a shared past, separate continuations, ranges across the fork. */
export const forkCases = toCases({
  'shares the past of a fork and lets both lines go on apart': async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    await exchange(store, thread, 'c', 'd')
    const fork = { ...thread, branch: 'edit' }
    await store.fork(thread, { at: 2, branch: 'edit' })
    equal(await texts(store, fork), ['a', 'b'], 'the new line')
    const head = await store.head(fork)
    equal(head, { head: 2, turns: 1, forkOf: { branch: 'main', at: 2 } }, 'its head')
    await exchange(store, fork, 'C', 'D')
    await exchange(store, thread, 'e', 'f')
    equal(await texts(store, fork), ['a', 'b', 'C', 'D'], 'the fork')
    equal(await texts(store, thread), ['a', 'b', 'c', 'd', 'e', 'f'], 'the first line')
    equal(await places(store, fork), ['1/1', '2/1', '3/2', '4/2'], 'places')
    equal(await outline(store, fork), ['1 completed 1-2', '2 completed 3-4'], 'turns')
  },
  'forks at the beginning, at the end, and forks of forks': async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    const line = (branch: string) => ({ ...thread, branch })
    await store.fork(thread, { at: 0, branch: 'none' })
    await store.fork(thread, { at: 2, branch: 'one' })
    await exchange(store, line('none'), 'n')
    await exchange(store, line('one'), 'c', 'd')
    await store.fork(line('one'), { at: 4, branch: 'two' })
    await exchange(store, line('two'), 'e', 'f')
    await store.fork(line('two'), { at: 2, branch: 'early' })
    await store.fork(line('two'), { at: 6, branch: 'three' })
    await exchange(store, line('one'), 'X')
    const all = ['a', 'b', 'c', 'd', 'e', 'f']
    equal(await texts(store, line('none')), ['n'], 'from the beginning')
    equal(await texts(store, line('two')), all, 'a fork of a fork')
    equal(await texts(store, line('early')), ['a', 'b'], 'a fork before the border')
    equal(await texts(store, line('three')), all, 'a fork with no entries of its own')
    equal((await store.head(line('three')))?.turns, 3, 'its turns')
    equal(pluck(await store.turns(line('none')), 'turn'), [1], 'turns from the beginning')
  },
  'reads ranges across the border, both ways, with a limit': async (store, thread) => {
    const all = Array.from({ length: 10 }, (_, n) => `m${n + 1}`)
    await exchange(store, thread, ...all.slice(0, 4))
    const b = { ...thread, branch: 'b' }
    const c = { ...thread, branch: 'c' }
    await store.fork(thread, { at: 4, branch: 'b' })
    await exchange(store, b, ...all.slice(4, 7))
    await store.fork(b, { at: 7, branch: 'c' })
    await exchange(store, c, ...all.slice(7))
    for (let from = 0; from <= 11; from++)
      for (let to = from - 1; to <= 11; to++)
        for (const limit of [undefined, 0, 1, 3, 99]) {
          const wanted = all.slice(Math.max(0, from - 1), Math.max(0, to))
          const range = { from, to, ...(limit === undefined ? {} : { limit }) }
          equal(await texts(store, c, range), wanted.slice(0, limit), JSON.stringify(range))
          const back = [...wanted].reverse().slice(0, limit)
          equal(
            await texts(store, c, { ...range, reverse: true }),
            back,
            `${JSON.stringify(range)} reversed`,
          )
        }
    equal(await texts(store, c, { reverse: true, limit: 2 }), ['m10', 'm9'], 'the newest two')
  },
  'forks only where a turn is closed, or before a user entry': async (store, thread) => {
    const line = { ...thread, branch: 'before c' }
    await exchange(store, thread, 'a', 'b', 'c', 'd')
    await store.fork(thread, { at: 2, branch: 'before c' })
    equal(await texts(store, line), ['a', 'b'], 'the line before a user entry')
    equal(await outline(store, line), ['1 completed 1-2'], 'its turn')
    for (const at of [3, -1, 5, 1.5])
      await refused(() => store.fork(thread, { at, branch: 'torn' }), 'invalid_option')
    await open(store, thread, { entries: [entry('e'), entry('f')] })
    await store.fork(thread, { at: 4, branch: 'before e' })
    for (const at of [5, 6])
      await refused(() => store.fork(thread, { at, branch: 'open' }), 'invalid_option')
    equal(await store.head({ ...thread, branch: 'open' }), undefined, 'a refused fork')
  },
  'makes a branch once': async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    await store.fork(thread, { at: 2, branch: 'x' })
    await store.fork(thread, { at: 2, branch: 'x' })
    await refused(() => store.fork(thread, { at: 0, branch: 'x' }), 'invalid_option')
    await refused(() => store.fork(thread, { at: 2, branch: 'main' }), 'invalid_option')
  },
  'leaves calls, leases, keys and caches with their branch': async (store, thread) => {
    const x = { ...thread, branch: 'x' }
    const { lease } = await open(store, thread, { key: 'k', body: '1' })
    await store.end(thread, { lease, expectedHead: 1, entries: [entry('b')], status: 'completed' })
    await store.saveCall(thread, { ...sentCall, id: 'c' })
    await store.saveCache(thread, 'fold', 2, new Uint8Array([1]))
    await store.fork(thread, { at: 2, branch: 'x' })
    equal(await store.calls(x), [], 'calls')
    equal(await store.loadCache(x, 'fold'), undefined, 'cache')
    const turns = (await store.turns(x)).map(({ status, key, body }) => ({ status, key, body }))
    equal(turns, [{ status: 'completed' }], 'turns')
    const mine = await open(store, x, { key: 'k', body: '2', entries: [entry('c')] })
    await open(store, thread, { key: 'k2' })
    await store.end(x, { lease: mine.lease, expectedHead: 3, entries: [], status: 'completed' })
    equal((await store.head(thread))?.open?.turn, 2, 'the open turn of the first line')
  },
  'adds an entry of the shared past once, and one of another line again': async (store, thread) => {
    const [shared, mine] = [entry('shared'), entry('mine')]
    await store.seed(thread, { expectedHead: 0, entries: [shared] })
    await store.fork(thread, { at: 1, branch: 'x' })
    await store.seed(thread, { expectedHead: 1, entries: [mine] })
    const x = { ...thread, branch: 'x' }
    await store.seed(x, { expectedHead: 1, entries: [shared, mine] })
    equal(await texts(store, x), ['shared', 'mine'], 'the entries')
  },
  'takes over an abandoned turn of one line only': async (store, thread) => {
    await exchange(store, thread, 'a', 'b')
    await store.fork(thread, { at: 2, branch: 'x' })
    await abandoned(store, thread, { entries: [entry('lost')] })
    await open(
      store,
      { ...thread, branch: 'x' },
      { closing: { entries: [entry('[Interrupted.]')] } },
    )
    equal(
      pluck(await store.turns(thread), 'status'),
      ['completed', 'open'],
      'the turns of the first line',
    )
  },
})

/** How often two stores write at the same time: often enough that they meet. */
const times = 8

/** Two stores over one backend, as two processes have them. */
export const pairCases = toCases({
  'shows one store what another has written': onPair(async (one, two, thread) => {
    for (const [writer, other] of [[one, two] as const, [two, one] as const]) {
      const head = await exchange(writer, thread, 'question', 'answer')
      equal((await other.head(thread))?.head, head, 'the head')
      equal((await texts(other, thread)).length, head, 'how many entries there are')
    }
    const { lease, head } = await open(one, thread)
    await refused(() => open(two, thread, { owner: 'bob' }), 'turn_open')
    await one.renew(thread, lease, 0)
    await two.resume(thread, { owner: 'bob', leaseMs: long })
    const late = { lease, expectedHead: head, entries: [entry('late')] }
    await refused(() => one.append(thread, late), 'lease_lost')
    await two.deleteConversation(thread.tenant, thread.conversation)
    await refused(() => open(one, thread), 'conversation_deleted')
  }),
  'keeps all that two stores write to a conversation at once': onPair(async (one, two, thread) => {
    const talk = { ...thread, conversation: 'talk' }
    const actors = Array.from({ length: 2 * times }, (_, n) => ({ ...talk, actor: `actor ${n}` }))
    // All at once: however fast the backend is, the writes of the two overlap.
    await Promise.all(
      actors.map((actor, n) => exchange(n % 2 ? two : one, actor, 'question', 'answer')),
    )
    for (const store of [one, two])
      for (const actor of actors)
        equal(await texts(store, actor), ['question', 'answer'], 'the entries')
  }),
  'lets one of two stores begin a turn, and refuses the other': onPair(async (one, two, thread) => {
    for (let time = 0; time < times; time++) {
      const talk = { ...thread, conversation: `talk ${time}` }
      const begun = await Promise.allSettled([open(one, talk), open(two, talk, { owner: 'bob' })])
      equal(
        pluck(begun, 'status').sort(),
        ['fulfilled', 'rejected'],
        'what became of two that begin at once',
      )
      for (const answer of begun)
        if (answer.status === 'rejected')
          await refused(() => Promise.reject(answer.reason), 'turn_open')
      equal(await texts(two, talk), ['hello'], 'the entries')
    }
  }),
})

function onPair(
  body: (one: Store, two: Store, thread: ThreadKey) => Promise<unknown>,
): Parameters<typeof toCases>[0][string] {
  return async (one, thread, create) => {
    const two = await createSecond(create)
    if (!two) return
    try {
      await exchange(one, thread, 'hello')
      if (two === one || !(await two.head(thread)))
        throw new Error(
          'create() must give another store over the same backend each time, or throw a StoreError with the code store_locked. It gave the same store, or one over another backend.',
        )
      await body(one, two, thread)
    } finally {
      if (two !== one) await two.close()
    }
  }
}

/** Undefined for a backend that only one store may hold at a time. */
async function createSecond(create: CreateStore): Promise<Store | undefined> {
  try {
    return await create()
  } catch (error) {
    if (error instanceof ThroughlineError && error.code === 'store_locked') return undefined
    throw error
  }
}
