import { onAbort } from './on-abort.ts'

export interface Limit {
  readonly signal: AbortSignal
  readonly ms: number
  /** What is thrown when the time is over. */
  readonly late: () => Error
}

/** The longest that a timer can be set to, nearly 25 days: what is longer would be over at once. */
const longest = 2 ** 31 - 1

/** Waits for something: at most so long, and no longer once the signal is aborted, whether or not the work listens to it. */
export async function withLimit<T>(work: Promise<T>, { signal, ms, late }: Limit): Promise<T> {
  // What nobody waits for any more may fail as it likes.
  work.catch(() => undefined)
  let leave = () => {}
  const over = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason)
    const timer = setTimeout(() => reject(late()), Math.min(ms, longest))
    const unlisten = onAbort(signal, abort)
    leave = () => {
      clearTimeout(timer)
      unlisten()
    }
    if (signal.aborted) abort()
  })
  try {
    return await Promise.race([work, over])
  } finally {
    leave()
  }
}
