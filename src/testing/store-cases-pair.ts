import { ThroughlineError } from '../log/error.ts'
import type { Store, ThreadKey } from '../stores/store.ts'
import { type CreateStore, equal, pluck, refused, toCases } from './store-case.ts'
import { entry, exchange, long, open, texts } from './store-cases-help.ts'

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
    await Promise.all(actors.map((actor, n) => exchange(n % 2 ? two : one, actor, 'question', 'answer')))
    for (const store of [one, two])
      for (const actor of actors) equal(await texts(store, actor), ['question', 'answer'], 'the entries')
  }),
  'lets one of two stores begin a turn, and refuses the other': onPair(async (one, two, thread) => {
    for (let time = 0; time < times; time++) {
      const talk = { ...thread, conversation: `talk ${time}` }
      const begun = await Promise.allSettled([open(one, talk), open(two, talk, { owner: 'bob' })])
      equal(pluck(begun, 'status').sort(), ['fulfilled', 'rejected'], 'what became of two that begin at once')
      for (const answer of begun)
        if (answer.status === 'rejected') await refused(() => Promise.reject(answer.reason), 'turn_open')
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
