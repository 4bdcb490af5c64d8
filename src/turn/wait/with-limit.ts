import { onAbort } from './link-signals.ts'

export interface Limit {
  readonly signal: AbortSignal
  /** How long each wait may take, in milliseconds. Default: as long as a timer can. */
  readonly ms?: number
  readonly late?: () => Error
}

/** The longest time of a timer, nearly 25 days: a longer one would fire at once. */
const longest = 2 ** 31 - 1

/** Opens a limit for successive waits: a timer and a listener for each part of a stream would cost too much. */
export function openLimit({ signal, ms = longest, late }: Limit) {
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
    else fail(late?.())
  }

  return {
    /** Waits until the limit or the abort of the signal, whether or not the work listens to the signal. */
    wait<T>(work: Promise<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        if (signal.aborted) reject(signal.reason)
        fail = reject
        until = performance.now() + most
        timer ??= setTimeout(look, most)
        // After the limit the work may still fail: this second rejection has no effect.
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
    end(): void {
      clearTimeout(timer)
      unlisten()
    },
  }
}

export async function withLimit<T>(work: Promise<T>, limit: Limit): Promise<T> {
  const open = openLimit(limit)
  try {
    return await open.wait(work)
  } finally {
    open.end()
  }
}
