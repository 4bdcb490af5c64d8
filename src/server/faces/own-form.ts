import { refuse } from '../../log/fields.ts'

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
