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
const readFields: ReadonlySet<string> = new Set(['content', 'tool_calls', 'function_call', 'images'])

/** Mark where the inside of a list or an object begins and ends. */
const [opens, ends] = [Symbol('opens'), Symbol('ends')]

/** Passes every value to `see` until `see` returns false. Each object is entered once, so circles end. */
function look(source: object, see: (value: unknown) => boolean): boolean {
  let inside: Set<object> | undefined
  const show = (value: unknown, isRead: boolean) => {
    if (value instanceof Date) return see(value.getTime())
    // Binary data is compared by identity, not byte by byte.
    if (!isRead || typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return see(value)
    inside ??= new Set()
    inside.add(value)
    return see(opens)
  }
  for (const key in source)
    if (!see(key) || !show((source as Record<string, unknown>)[key], readFields.has(key))) return false
  // `inside` grows while this loop walks it.
  for (const value of inside ?? []) {
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at++) if (!show(value[at], true)) return false
    } else {
      for (const key in value)
        if (!see(key) || !show((value as Record<string, unknown>)[key], true)) return false
    }
    if (!see(ends)) return false
  }
  return true
}
