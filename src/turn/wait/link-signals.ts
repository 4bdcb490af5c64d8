import { onAbort } from './on-abort.ts'

export interface LinkedSignal {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
  /** The work is over: nothing is left at the signals that go on. */
  unlink(): void
}

/**
 * A signal that is aborted as soon as one of the given is. `AbortSignal.any` would do the same, but has no end: whoever
 * passes one signal, that of the process, say, to every turn would find something of each turn left at it.
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
