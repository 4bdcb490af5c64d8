/** Waits; rejects with the signal's reason as soon as it is aborted. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }, milliseconds)
    function leave() {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    signal?.addEventListener('abort', leave, { once: true })
  })
}
