import { onAbort } from './on-abort.ts'

/** How a call that failed is tried again. */
export interface RetryOptions {
  /** How often, after the first time. Default 3; 0 for never. */
  readonly retries?: number
  /** The first pause; each further one is twice as long. What the provider asks for goes first. Default 500 ms. */
  readonly backoffMs?: number
}

/** The longest pause, whoever asks for it: somebody waits. */
const longest = 30_000

export function pauseBefore(attempt: number, backoffMs: number, asked: number | undefined): number {
  return Math.min(longest, asked ?? backoffMs * 2 ** (attempt - 1))
}

/** Waits; a cancel ends it with the signal's reason. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const timer = setTimeout(() => {
      unlisten()
      resolve()
    }, ms)
    const unlisten = onAbort(signal, () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
