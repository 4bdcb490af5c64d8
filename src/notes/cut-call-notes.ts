import type { MessageLike } from '../log/message.ts'
import { isText } from '../log/read-content.ts'
import type { NoteOptions } from './marker.ts'
import { shownArguments } from './shown-arguments.ts'

/**
 * Cuts notes out of everything in a message but its text (whose note was cut when the reply was read): the arguments of
 * calls in every dialect, and fields that the library does not read. Only for display: the stored message stays as it is.
 * Returns the same object where nothing was cut.
 */
export function cutCallNotes<M extends MessageLike>(source: M, notes: NoteOptions): M {
  const seen = new Map<object, unknown>()

  function cut(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return shownArguments(value, notes)
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
    if (seen.has(value)) return seen.get(value)
    // Values in a circle or nested beyond the limit are not shown.
    seen.set(value, undefined)
    const shown = depth < mostDepth ? rename(rebuild(value, inner => cut(inner, depth + 1))) : undefined
    seen.set(value, shown)
    return shown
  }

  /** Cuts notes out of field names too. */
  function rename<T extends object>(value: T): T {
    const names = Array.isArray(value) ? [] : Object.keys(value)
    if (names.every(name => cut(name) === name)) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [cut(name), inner])) as T
  }

  return rebuild(source, (value, field) => {
    // Beside `tool_calls` a `function_call` is not read and not run.
    if (field === 'function_call' && value && isFull(source.tool_calls)) return undefined
    if (field !== 'content') return cut(value)
    return Array.isArray(value) ? rebuild(value, part => (isText(part) ? part : cut(part))) : value
  })
}

const isFull = (list: unknown) => Array.isArray(list) && list.length > 0

/** Deeper arguments are refused when they are stored. */
const mostDepth = 500

/** A copy with every value changed or left out by `change`; the same object where nothing changed. */
function rebuild<T extends object>(value: T, change: (inner: unknown, name: string) => unknown): T {
  if (Array.isArray(value)) {
    const items = value.map((item, at) => change(item, String(at)))
    return items.every((item, at) => item === value[at]) ? value : (items as unknown as T)
  }
  const fields = Object.entries(value)
  const changed = fields.map(([name, inner]) => [name, change(inner, name)] as const)
  return changed.every(([, inner], at) => inner === fields[at]![1])
    ? value
    : (Object.fromEntries(changed.filter(([, inner]) => inner !== undefined)) as T)
}
