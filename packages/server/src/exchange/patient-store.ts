import { AsyncLocalStorage } from 'node:async_hooks'
import { StoreError } from '@throughline/stores/errors'
import type { Begun, NewEntry, Store, ThreadKey } from '@throughline/stores/store'

interface Patience {
  /** How long a call of the store is waited for. */
  ms: number
}

const storage = new AsyncLocalStorage<Patience | undefined>()

/** Does work in which no call of a patient store is waited for longer than some milliseconds; once one was, hardly any. */
export const withPatience = <T>(ms: number, work: () => T): T => storage.run({ ms }, work)

/** Does work that waits for the store as long as the store does. */
export const withoutPatience = <T>(work: () => T): T => storage.run(undefined, work)

/**
 * A store that is given up where a client waits for it (`withPatience`). What was asked of it may still be done later: a turn that
 * begins then is left at once, so that it stops nobody.
 */
export function patientStore(store: Store): Store {
  const patient = bounded.map(name => {
    const call = store[name] as (...given: readonly unknown[]) => Promise<unknown>
    const inTime = (...given: readonly unknown[]) => {
      const patience = storage.getStore()
      const work = call(...given)
      if (!patience) return work
      const isBeginning = name === 'begin' || name === 'resume'
      const leave = (begun: unknown) =>
        leaveTurn(store, given[0] as ThreadKey, begun as Begun | undefined)
      return atMost(patience, work, sizeOf(given[1]), isBeginning ? leave : undefined)
    }
    return [name, inTime]
  })
  return {
    ...store,
    ...(Object.fromEntries(patient) as Pick<Store, (typeof bounded)[number]>),
    entries(thread, range) {
      const patience = storage.getStore()
      const entries = store.entries(thread, range)
      return patience ? inTime(patience, entries) : entries
    },
  }
}

/** The calls by which a request is placed and answered. */
const bounded = [
  'begin',
  'resume',
  'append',
  'end',
  'renew',
  'seed',
  'fork',
  'head',
  'turns',
  'saveCall',
  'calls',
  'saveCache',
  'loadCache',
  'saveMarks',
  'findMarks',
  'conversations',
  'describeConversation',
  'findWords',
  'deleteConversation',
] as const

async function* inTime<T>(patience: Patience, items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await atMost(patience, iterator.next())
      if (done) return
      yield value
    }
  } finally {
    // Not waited for: it may wait for what was given up.
    void iterator.return?.().catch(() => undefined)
  }
}

/** What a write brings may take its time: a millisecond for a kilobyte. */
function sizeOf(write: unknown): number {
  const { entries } = (write ?? {}) as { readonly entries?: unknown }
  if (!Array.isArray(entries)) return 0
  return (entries as readonly NewEntry[]).reduce(
    (sum, { payload }) => sum + 1 + payload.length / 1024,
    0,
  )
}

/** Gives work up after a time in which the event loop was free: what this process does itself is not the store's fault. */
function atMost<T>(
  patience: Patience,
  work: Promise<T>,
  more = 0,
  onLate?: (result: T) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const ms = patience.ms + more
    let isGivenUp = false
    let timer: NodeJS.Timeout
    const wait = () => {
      const began = performance.now()
      timer = setTimeout(() => {
        if (performance.now() - began > ms * 1.5) return wait()
        isGivenUp = true
        patience.ms = Math.min(patience.ms, hurriedMs)
        reject(
          new StoreError(
            'store_unavailable',
            `The log did not answer within ${Math.round(ms)} ms.`,
          ),
        )
      }, ms)
    }
    wait()
    work.then(
      result => {
        clearTimeout(timer)
        if (isGivenUp) onLate?.(result)
        else resolve(result)
      },
      error => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}

/** How long further calls are waited for, once one was given up. */
const hurriedMs = 20

function leaveTurn(store: Store, thread: ThreadKey, begun: Begun | undefined): void {
  // With 0 ms the lease runs out now.
  if (begun?.kind === 'begun') store.renew(thread, begun.lease, 0).catch(() => undefined)
}
