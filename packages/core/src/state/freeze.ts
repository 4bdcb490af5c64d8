/** Freezes plain objects and arrays to any depth, so that no reader changes the next one's value. Dates, maps and classes stay. */
export function freeze<T>(value: T): T {
  const open: unknown[] = [value]
  // A list instead of recursion: a tool's result may have any depth.
  while (open.length > 0) {
    const next = open.pop()
    if (!isContainer(next) || Object.isFrozen(next)) continue
    Object.freeze(next)
    for (const inner of Object.values(next)) open.push(inner)
  }
  return value
}

/** Whether a value has only texts, numbers, plain objects and arrays, which `freeze` freezes whole. */
export function isPlain(value: unknown): boolean {
  const seen = new Set<unknown>()
  const open: unknown[] = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'function' || typeof next === 'symbol') return false
    if (typeof next !== 'object' || next === null || seen.has(next)) continue
    if (!isContainer(next)) return false
    seen.add(next)
    for (const value of Object.values(next)) open.push(value)
  }
  return true
}

/** Whether a value is a list or a plain object. */
export function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
