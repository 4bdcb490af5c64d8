/**
 * Remembers what was read of a value: the parser gives the same objects again for what a client sent before. `at`: the place, for
 * errors. `holds`: whether a reading is still right.
 */
export function readOnce<Out extends object, Rest extends readonly unknown[] = []>(
  read: (value: unknown, at: number, ...rest: Rest) => Out,
  holds: (out: Out, ...rest: Rest) => boolean = () => true,
): (value: unknown, at: number, ...rest: Rest) => Out {
  const readings = new WeakMap<object, Out>()
  return (value, at, ...rest) => {
    const reading = readings.get(value as object)
    if (reading && holds(reading, ...rest)) return reading
    const out = read(value, at, ...rest)
    if (typeof value === 'object' && value !== null) readings.set(value, out)
    return out
  }
}
