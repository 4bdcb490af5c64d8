/**
 * Lets timers, signals and other requests have their turn. Stores and models that answer at once never wait, and a long
 * run on them would keep even its own lease from being renewed.
 */
export function letOthersRun(): Promise<void> {
  return new Promise(resolve => {
    const { setImmediate: soon = setTimeout } = globalThis as { setImmediate?: (run: () => void) => unknown }
    soon(resolve)
  })
}
