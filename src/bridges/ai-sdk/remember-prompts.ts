/** How many conversations are remembered. An older one is only counted again. */
const mostLines = 8

/** Replaces unchanged messages by their objects of the call before: the AI SDK makes new ones, and `fit` remembers by object. */
export function rememberPrompts<M extends object>(): (prompt: readonly M[]) => readonly M[] {
  let lines: readonly (readonly M[])[] = []
  return prompt => {
    let best: readonly M[] = []
    let most = 0
    for (const line of lines) {
      const shared = countShared(line, prompt)
      if (shared > most) [best, most] = [line, shared]
    }
    const same = [...best.slice(0, most), ...prompt.slice(most)]
    // A line that this prompt continues is replaced; one that it only forks from stays.
    const others = lines.filter(line => line !== best || most < line.length)
    lines = [same, ...others].slice(0, mostLines)
    return same
  }
}

function countShared(line: readonly unknown[], prompt: readonly unknown[]): number {
  const most = Math.min(line.length, prompt.length)
  let shared = 0
  while (shared < most && isSame(line[shared], prompt[shared])) shared += 1
  return shared
}

/** Whether two values of messages are equal: plain objects, lists, bytes and URLs. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  if (Array.isArray(a)) return isSameList(a, b as readonly unknown[])
  if (a instanceof Uint8Array) return isSameList(a, b as Uint8Array)
  if (a instanceof URL) return a.href === (b as URL).href
  // Dates and the like hide their contents: they are equal only if they are the same object.
  if (Object.getPrototypeOf(a) !== Object.prototype) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every(key => Object.hasOwn(b, key) && isSame(a[key as never], b[key as never]))
  )
}

function isSameList(a: ArrayLike<unknown>, b: ArrayLike<unknown>): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (!isSame(a[at], b[at])) return false
  return true
}
