const closers: (() => unknown)[] = []

/**
 * Closes something after the last test of the file that runs now. Most test files share their modules, so that a hook at the
 * top of a module would belong only to the first file that imports it.
 */
export function afterFile(close: () => unknown): void {
  closers.push(close)
}

/** What was opened last is closed first. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close()
}
