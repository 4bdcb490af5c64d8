import { ApiError } from './api-error.ts'
import { observable } from './observable.ts'

/** Whether the server answers: `live` while its events are heard, `away` since it gave no answer. */
export type ServerConnection =
  | { readonly state: 'joining' | 'live' }
  | { readonly state: 'away'; readonly since: number }

export const connection = observable<ServerConnection>({ state: 'joining' })

/** Keeps the time of the first failure until the server is back. */
export function noteAway(): void {
  if (connection.get().state !== 'away') connection.set({ state: 'away', since: Date.now() })
}

export interface Listener<Data> {
  readonly take: (data: Data) => void
  /** Whether a stream that ended has ended for good. */
  readonly isOver?: () => boolean
  /** Called when a stream broke off, before it is opened again. */
  readonly onBroken?: () => void
}

export interface HeardEvent<Data> {
  readonly id: string | undefined
  readonly data: Data
}

/** Follows events until it is stopped or `isOver`. Reconnects after the last event that came, with growing pauses. */
export function keepListening<Data>(
  open: (options: {
    readonly signal: AbortSignal
    readonly lastEventId: string | undefined
  }) => AsyncIterable<HeardEvent<Data>>,
  { take, isOver = () => false, onBroken }: Listener<Data>,
): () => void {
  const leaving = new AbortController()
  const { signal } = leaving
  void (async () => {
    let lastEventId: string | undefined
    for (let failures = 0; !signal.aborted; ) {
      try {
        for await (const { id, data } of open({ signal, lastEventId })) {
          failures = 0
          lastEventId = id ?? lastEventId
          take(data)
        }
        if (isOver()) return
      } catch (error) {
        // Forbidden and missing streams are not retried; the rest of the page still works.
        if (error instanceof ApiError && [401, 403, 404].includes(error.status)) return
      }
      if (!signal.aborted) onBroken?.()
      failures += 1
      await pause(Math.min(500 * 2 ** failures, 10_000), signal)
    }
  })()
  return () => leaving.abort()
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
    retryNow.add(done)
    function done() {
      clearTimeout(timer)
      retryNow.delete(done)
      resolve()
    }
  })
}

/** Loads a file of this page, with retries while the server is away. A live server may have a new build with other files. */
export async function keepTrying<Value>(act: () => Promise<Value>): Promise<Value> {
  for (let failures = 1; ; failures++) {
    try {
      return await act()
    } catch (error) {
      if (failures > mostFailures && connection.get().state === 'live') throw error
      await pause(Math.min(250 * 2 ** failures, 5000))
    }
  }
}

/** A server that was started again is heard a moment later than it answers. */
const mostFailures = 4

const retryNow = new Set<() => void>()

/** Ends all pauses: retries at once. */
export function tryNow(): void {
  for (const go of retryNow) go()
}
