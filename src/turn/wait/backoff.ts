import { onAbort } from './on-abort.ts'

/** How a failed call is tried again. */
export interface RetryOptions {
  /** How many more attempts after the first. Default 3. */
  readonly retries?: number
  /** The first pause; each further one is twice as long. A pause that the provider asks for wins. Default 500 ms. */
  readonly backoffMs?: number
}

/** The longest pause, also if the provider asks for more: a user is waiting. */
const longest = 30_000

export function pauseBefore(attempt: number, backoffMs: number, asked: number | undefined): number {
  return Math.min(longest, asked ?? backoffMs * 2 ** (attempt - 1))
}

/** Waits; rejects with the signal's reason when it is aborted. */
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
