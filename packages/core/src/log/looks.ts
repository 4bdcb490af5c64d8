/** A message's fields, and everything inside the fields that the library reads, as they were at the time of reading. */
export type Looks = readonly unknown[]

export function looksOf(source: object): Looks {
  const looks: unknown[] = []
  look(source, value => looks.push(value) > 0)
  return looks
}

/** Whether a message is still what it was when these looks were taken: callers may change messages in place. */
export function isUnchanged(looks: Looks, source: object): boolean {
  let at = 0
  return look(source, value => Object.is(value, looks[at++])) && at === looks.length
}

/** The fields that are compared to their depth. Inside the other fields nothing is sent or counted. */
const readFields: readonly string[] = ['content', 'tool_calls', 'function_call', 'images']

/** Stands in place of a list or an object that is entered later, and where the inside of one ends. */
const mark = Symbol('mark')

/** Passes every value to `see` until `see` returns false. Each object is entered once, so circles end. */
function look(source: object, see: (value: unknown) => boolean): boolean {
  // `entered` grows while this loop walks it.
  const entered = new Set([source])
  for (const holder of entered) {
    for (const key in holder) {
      const value = (holder as Record<string, unknown>)[key]
      const isRead = holder !== source || readFields.includes(key)
      // Binary data is compared by identity, not byte by byte.
      const enters =
        isRead && typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
      if (enters) entered.add(value)
      if (!see(key) || !see(value instanceof Date ? value.getTime() : enters ? mark : value))
        return false
    }
    if (!see(mark)) return false
  }
  return true
}

/** Makes something of each object once, and again if the object was changed in place. */
export function madeOnce<S extends object, Rest extends readonly unknown[], T>(
  make: (source: S, ...rest: Rest) => T,
): (source: S, ...rest: Rest) => T {
  const cache = new WeakMap<S, { readonly looks: Looks; readonly made: T }>()
  return (source, ...rest) => {
    const before = cache.get(source)
    if (before && isUnchanged(before.looks, source)) return before.made
    const made = make(source, ...rest)
    cache.set(source, { looks: looksOf(source), made })
    return made
  }
}
