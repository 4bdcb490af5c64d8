/**
 * Lets timers, signals and other requests run. An experiment whose store and models answer at once would else block them,
 * even the renewal of its own lease.
 */
export function letOthersRun(): Promise<void> {
  return new Promise(resolve => {
    const { setImmediate: soon = setTimeout } = globalThis as { setImmediate?: (run: () => void) => unknown }
    soon(resolve)
  })
}
