/**
 * Freezes plain objects and arrays, all the way down. A value is a view of the log: a reader who could change it
 * would change what the next one finds. Dates, maps and instances of classes are left as they are.
 */
export function freeze<T>(value: T): T {
  const open: unknown[] = [value]
  // A list instead of recursion: the depth of a tool's result is not ours to choose.
  while (open.length > 0) {
    const next = open.pop()
    if (!isContainer(next) || Object.isFrozen(next)) continue
    Object.freeze(next)
    for (const inner of Object.values(next)) open.push(inner)
  }
  return value
}

/** Nothing but texts, numbers, plain objects and arrays: what `freeze` freezes whole. */
export function isPlain(value: unknown): boolean {
  const seen = new Set<unknown>()
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'function' || typeof next === 'symbol') return false
    if (typeof next !== 'object' || next === null || seen.has(next)) continue
    if (!isContainer(next)) return false
    seen.add(next)
    open.push(...Object.values(next))
  }
  return true
}

function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
