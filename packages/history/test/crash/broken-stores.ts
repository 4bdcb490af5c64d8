import { setTimeout as sleep } from 'node:timers/promises'
import type { Begun, Lease, Store } from '@throughline/stores/store'
import type { Fault } from './writer-line.ts'

/** Stores with one fault each, which the harness must find. */
export const brokenStores: Readonly<Record<Fault, (store: Store) => Store>> = {
  late: lateStore,
  hasty: hastyStore,
  torn: tornStore,
  unfenced: unfencedStore,
  deaf: deafStore,
  // Leases do not exclude other writers.
  unleased: store => ({
    ...store,
    begin: (thread, begin) => store.begin(thread, { ...begin, leaseMs: 0 }),
  }),
}

/** A store that acknowledges at once, but writes only after every fourth turn. */
function lateStore(store: Store): Store {
  let waiting: ((lease: Lease) => Promise<Lease>)[] = []
  let begun: Extract<Begun, { kind: 'begun' }> | undefined
  let ended = 0

  async function flush(): Promise<void> {
    const writes = waiting
    waiting = []
    let lease: Lease = { owner: '', epoch: 0 }
    for (const write of writes) lease = await write(lease)
  }

  return {
    ...store,
    async begin(thread, begin) {
      const head = begun?.head ?? (await store.head(thread))?.head ?? 0
      const number = (begun?.turn.turn ?? (await store.head(thread))?.turns ?? 0) + 1
      waiting.push(async () => leaseOf(await store.begin(thread, begin)))
      begun = {
        kind: 'begun',
        turn: { turn: number, status: 'open', first: head + 1, last: head + 1, startedAt: 0 },
        lease: { owner: begin.owner, epoch: number },
        head: head + begin.entries.length,
      }
      return begun
    },
    async append(thread, append) {
      waiting.push(lease => store.append(thread, { ...append, lease }).then(() => lease))
      return { head: append.expectedHead + append.entries.length }
    },
    async end(thread, end) {
      waiting.push(lease => store.end(thread, { ...end, lease }).then(() => lease))
      const head = end.expectedHead + end.entries.length
      begun = { ...begun!, head }
      if (++ended % 4 === 0) await flush()
      return { head }
    },
    renew: async () => {},
  }
}

/** A store that acknowledges what is committed before the disk has it. */
function hastyStore(store: Store): Store {
  return {
    ...store,
    begin: (thread, begin) => store.begin(thread, { ...begin, mayDeferSync: true }),
    append: (thread, append) => store.append(thread, { ...append, mayDeferSync: true }),
  }
}

/** Writes the last messages of a turn and its end in two transactions, with a pause for a crash to fall into. */
function tornStore(store: Store): Store {
  return {
    ...store,
    async end(thread, { status, error, ...end }) {
      const [reply, ...rest] = end.entries
      const { head } = await store.append(thread, { ...end, entries: reply ? [reply] : [] })
      await sleep(30)
      const last = { ...end, expectedHead: head, entries: rest, status }
      return store.end(thread, error === undefined ? last : { ...last, error })
    },
  }
}

/** A store that lets any writer write into the open turn. */
function unfencedStore(store: Store): Store {
  return {
    ...store,
    async append(thread, append) {
      const head = await store.head(thread)
      const now = { lease: head?.open?.lease ?? append.lease, expectedHead: head?.head ?? 0 }
      return store.append(thread, { ...append, ...now })
    },
    async end(thread, end) {
      const head = await store.head(thread)
      const now = { lease: head?.open?.lease ?? end.lease, expectedHead: head?.head ?? 0 }
      return store.end(thread, { ...end, ...now })
    },
  }
}

/** A store that ignores the failure of a write. */
function deafStore(store: Store): Store {
  const deaf = (expectedHead: number, written: number) => () => ({ head: expectedHead + written })
  return {
    ...store,
    append: (thread, append) =>
      store.append(thread, append).catch(deaf(append.expectedHead, append.entries.length)),
    end: (thread, end) => store.end(thread, end).catch(deaf(end.expectedHead, end.entries.length)),
  }
}

function leaseOf(begun: Begun): Lease {
  if (begun.kind !== 'begun') throw new Error('the turn was replayed where it should have begun')
  return begun.lease
}
