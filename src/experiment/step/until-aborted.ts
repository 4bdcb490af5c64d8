/** Waits for work until the signal is aborted, even if the work (a hook, say) does not listen to it. */
export async function untilAborted<T>(work: () => T | Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let leave = () => {}
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    leave = () => signal.removeEventListener('abort', abort)
  })
  // No unhandled rejection, if the signal is aborted after the work is done.
  aborted.catch(() => undefined)
  try {
    return await Promise.race([work(), aborted])
  } finally {
    leave()
  }
}
