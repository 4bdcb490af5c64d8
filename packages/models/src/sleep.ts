import { orAborted } from '@throughline/core/values'

/** Waits; rejects with the signal's reason as soon as it is aborted. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<void>(resolve => {
    timer = setTimeout(resolve, milliseconds)
  })
  await orAborted(over, signal).finally(() => clearTimeout(timer))
}
