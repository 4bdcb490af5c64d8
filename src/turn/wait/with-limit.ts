import { onAbort } from './on-abort.ts'

export interface Limit {
  readonly signal: AbortSignal
  /** How long each thing may take. */
  readonly ms: number
  /** What is thrown when the time is over. */
  readonly late: () => Error
}

/** The limit of several things that are waited for, one after the other. */
export interface OpenLimit {
  /** Waits at most so long, and no longer once the signal is aborted, whether or not the work listens to it. */
  wait<T>(work: Promise<T>): Promise<T>
  /** Nothing more is waited for. */
  end(): void
}

/** The longest that a timer can be set to, nearly 25 days: a longer one would be over at once. */
const longest = 2 ** 31 - 1

/** One timer and one listener for all parts of a stream: setting them anew for each part would cost more than the part. */
export function openLimit({ signal, ms, late }: Limit): OpenLimit {
  let fail: ((reason: unknown) => void) | undefined
  let until = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const most = Math.min(ms, longest)
  const unlisten = onAbort(signal, () => fail?.(signal.reason))

  function look(): void {
    timer = undefined
    if (!fail) return
    const left = until - performance.now()
    if (left > 0) timer = setTimeout(look, left)
    else fail(late())
  }

  return {
    wait(work) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) reject(signal.reason)
        fail = reject
        until = performance.now() + most
        timer ??= setTimeout(look, most)
        // What nobody waits for any more may fail as it likes: a second rejection changes nothing.
        work.then(
          value => {
            fail = undefined
            resolve(value)
          },
          error => {
            fail = undefined
            reject(error)
          },
        )
      })
    },
    end() {
      clearTimeout(timer)
      unlisten()
    },
  }
}

/** Waits for one thing. */
export async function withLimit<T>(work: Promise<T>, limit: Limit): Promise<T> {
  const open = openLimit(limit)
  try {
    return await open.wait(work)
  } finally {
    open.end()
  }
}
