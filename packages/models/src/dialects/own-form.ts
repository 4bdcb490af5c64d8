import { refuse } from '@throughline/core/fields'
import type { ContentPart } from '@throughline/core/messages'

let isOwn = false

/** Reads a body for an upstream that speaks its form: what only such an upstream understands is not refused then. */
export function inOwnForm<Read>(read: () => Read): Read {
  isOwn = true
  try {
    return read()
  } finally {
    isOwn = false
  }
}

/** Whether a body is being read for an upstream that speaks its form. */
export const isInOwnForm = (): boolean => isOwn

/** Refuses what only an upstream of the same form understands, unless the body is read for one. */
export function refuseElsewhere(field: string, problem: string): void {
  if (!isOwn) refuse(field, problem)
}

/** A file that only the upstream has. */
export function uploadedFile(field: string, problem: string): ContentPart {
  refuseElsewhere(field, problem)
  return { type: 'input_file' }
}

/**
 * Remembers what was read of a value: the parser gives the same objects again for what a client sent before. Upstreams of the same
 * form have a reading of their own. `at`: the place, for errors. `holds`: whether a reading is still right.
 */
export function readOnce<Out extends object, Rest extends readonly unknown[] = []>(
  read: (value: unknown, at: number, ...rest: Rest) => Out,
  holds: (out: Out, ...rest: Rest) => boolean = () => true,
): (value: unknown, at: number, ...rest: Rest) => Out {
  const [forOwn, forOthers] = [new WeakMap<object, Out>(), new WeakMap<object, Out>()]
  return (value, at, ...rest) => {
    const readings = isInOwnForm() ? forOwn : forOthers
    const reading = readings.get(value as object)
    if (reading && holds(reading, ...rest)) return reading
    const out = read(value, at, ...rest)
    if (typeof value === 'object' && value !== null) readings.set(value, out)
    return out
  }
}
