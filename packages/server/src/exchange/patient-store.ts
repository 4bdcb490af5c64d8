import { AsyncLocalStorage } from 'node:async_hooks'
import { StoreError } from '@throughline/stores/errors'
import type { Begun, NewEntry, Store, ThreadKey } from '@throughline/stores/store'

interface Patience {
  /** How long a call of the store is waited for. */
  ms: number
  /** How often that long, while the store goes on writing: it is busy then, and neither stuck nor gone. */
  readonly most: number
}

const storage = new AsyncLocalStorage<Patience | undefined>()

/**
 * Does work in which no call of a patient store is waited for longer than some milliseconds; once one was, hardly any. `most`: how
 * often that long a store is waited for that is only busy with the writes of others. Default 1.
 */
export const withPatience = <T>(ms: number, work: () => T, most = 1): T =>
  storage.run({ ms, most }, work)

/** Does work that waits for the store as long as the store does. */
export const withoutPatience = <T>(work: () => T): T => storage.run(undefined, work)

/**
 * A store that is given up where a client waits for it (`withPatience`). What was asked of it may still be done later: a turn that
 * begins then is left at once, so that it stops nobody.
 */
export function patientStore(store: Store): Store {
  /** How many writes have been done. */
  let written = 0
  const progress = () => written
  const patient = bounded.map(name => {
    const call = store[name] as (...given: readonly unknown[]) => Promise<unknown>
    const inTime = (...given: readonly unknown[]) => {
      const patience = storage.getStore()
      const work = call(...given)
      if (writes.has(name)) work.then(() => (written += 1)).catch(() => undefined)
      if (!patience) return work
      const isBeginning = name === 'begin' || name === 'resume'
      const leave = (begun: unknown) =>
        leaveTurn(store, given[0] as ThreadKey, begun as Begun | undefined)
      const more = sizeOf(given[1])
      return atMost(patience, work, { more, onLate: isBeginning ? leave : undefined, progress })
    }
    return [name, inTime]
  })
  return {
    ...store,
    ...(Object.fromEntries(patient) as Pick<Store, (typeof bounded)[number]>),
    entries(thread, range) {
      const patience = storage.getStore()
      const entries = store.entries(thread, range)
      return patience ? inTime(patience, entries, progress) : entries
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

/** The calls among them that show that the store is not stuck: readers pass by the lock of a writer. */
const writes: ReadonlySet<string> = new Set<(typeof bounded)[number]>([
  'begin',
  'append',
  'end',
  'seed',
  'fork',
])

async function* inTime<T>(
  patience: Patience,
  items: AsyncIterable<T>,
  progress: () => number,
): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await atMost(patience, iterator.next(), { progress })
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

interface Call<T> {
  /** Milliseconds that this call may take beside the others. */
  readonly more?: number
  readonly onLate?: ((result: T) => void) | undefined
  /** How many writes the store has done. */
  readonly progress: () => number
}

/** Gives work up after a time in which the event loop was free: what this process does itself is not the store's fault. */
function atMost<T>(
  patience: Patience,
  work: Promise<T>,
  { more = 0, onLate, progress }: Call<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const ms = patience.ms + more
    let isGivenUp = false
    let timer: NodeJS.Timeout
    const wait = (times: number) => {
      const began = performance.now()
      const before = progress()
      timer = setTimeout(() => {
        if (performance.now() - began > ms * 1.5) return wait(times)
        if (times < patience.most && progress() > before) return wait(times + 1)
        isGivenUp = true
        patience.ms = Math.min(patience.ms, hurriedMs)
        const waited = Math.round(ms * times)
        const text = `The log did not answer within ${waited} ms.`
        reject(new StoreError('store_unavailable', text))
      }, ms)
    }
    wait(1)
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
