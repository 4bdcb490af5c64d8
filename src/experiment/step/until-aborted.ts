/** Waits for what somebody else does, but no longer once the signal is aborted: a hook need not listen to it. */
export async function untilAborted<T>(work: () => T | Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let leave = () => {}
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    leave = () => signal.removeEventListener('abort', abort)
  })
  // Nobody may be waiting for it by then.
  aborted.catch(() => undefined)
  try {
    return await Promise.race([work(), aborted])
  } finally {
    leave()
  }
}
