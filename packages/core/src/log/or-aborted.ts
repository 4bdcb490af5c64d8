/** Waits for a promise until a signal is aborted, whether or not the work behind it listens to the signal. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    const leave = () => signal.removeEventListener('abort', abort)
    promise.then(resolve, reject).finally(leave)
  })
}
