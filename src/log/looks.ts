/** What a message looked like when it was read: its fields, and all that is inside of those that are read. */
export type Looks = readonly unknown[]

export function looksOf(source: object): Looks {
  const looks: unknown[] = []
  look(source, value => looks.push(value) > 0)
  return looks
}

/** False when somebody has changed the message in place since. */
export function isUnchanged(looks: Looks, source: object): boolean {
  let at = 0
  return look(source, value => Object.is(value, looks[at++])) && at === looks.length
}

/** The fields that are read to their depth. Of any other a changed value is seen, but nothing inside of it is sent or counted. */
const readFields: ReadonlySet<string> = new Set(['content', 'tool_calls', 'function_call', 'images'])

/** Stands for a list or an object whose inside comes later, and where that ends. */
const [opens, ends] = [Symbol('opens'), Symbol('ends')]

/** Shows everything to `see`, until it gives false. Each object is entered once, so that circles end. */
function look(source: object, see: (value: unknown) => boolean): boolean {
  let inside: Set<object> | undefined
  const show = (value: unknown, isRead: boolean) => {
    if (value instanceof Date) return see(value.getTime())
    // Bytes have no text: which ones they are is enough.
    if (!isRead || typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return see(value)
    inside ??= new Set()
    inside.add(value)
    return see(opens)
  }
  for (const key in source)
    if (!see(key) || !show((source as Record<string, unknown>)[key], readFields.has(key))) return false
  // The set grows while it is walked.
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
