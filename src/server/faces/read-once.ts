/**
 * Remembers what was read of a value that stands in a list. A client sends its whole conversation each time, and of what it
 * sent before the parser gives the same objects again. `at`: its place, for errors only.
 */
export function readOnce<Out extends object>(
  read: (value: unknown, at: number) => Out,
): (value: unknown, at: number) => Out {
  const known = new WeakMap<object, Out>()
  return (value, at) => {
    const found = known.get(value as object)
    if (found) return found
    const out = read(value, at)
    known.set(value as object, out)
    return out
  }
}
