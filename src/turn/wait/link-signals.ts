import { onAbort } from './on-abort.ts'

export interface LinkedSignal {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
  /** Removes the listeners from the given signals, once the work is over. */
  unlink(): void
}

/**
 * A signal that is aborted as soon as one of the given signals is. Unlike `AbortSignal.any` it can be unlinked: a signal
 * that lives as long as the process and is passed to every turn would collect something of each.
 */
export function linkSignals(...given: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const own = new AbortController()
  const links: (() => void)[] = []
  for (const signal of given) {
    if (signal?.aborted) own.abort(signal.reason)
    else if (signal) links.push(onAbort(signal, () => own.abort(signal.reason)))
  }
  return {
    signal: own.signal,
    abort: reason => own.abort(reason),
    unlink() {
      for (const unlisten of links) unlisten()
    },
  }
}
