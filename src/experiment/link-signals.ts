export interface LinkedSignal {
  readonly signal: AbortSignal
  unlink(): void
}

/**
 * A signal that is aborted when one of the given is, until it is unlinked. `AbortSignal.any` has no such end: on a
 * signal that lives as long as a run, each call of each turn would leave something behind.
 */
export function linkSignals(...signals: readonly AbortSignal[]): LinkedSignal {
  const own = new AbortController()
  const links = signals.map(signal => ({ signal, abort: () => own.abort(signal.reason) }))
  for (const { signal, abort } of links) {
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
  }
  return {
    signal: own.signal,
    unlink() {
      for (const { signal, abort } of links) signal.removeEventListener('abort', abort)
    },
  }
}
